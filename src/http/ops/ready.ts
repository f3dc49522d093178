import type { RequestHandler } from 'express'
import type { InForce, Readiness, Reloadable } from '../../ports/observing.ts'
import { sendJson } from '../api/answer.ts'
import { headOf } from '../api/response-head.ts'

/** The versions in force, for operators. */
export interface Standing {
  inForce(what: Reloadable): InForce
  /** How many sites are in force. */
  sites(): number
}

/**
 * GET /ready, on the ops listener: 200 while requests can be judged, and what is in force.
 *
 * A configuration that was refused leaves the old one in force, so the service is still ready; the problem
 * stands in the body until it is fixed.
 */
export function ready(readiness: Readiness, standing: Standing): RequestHandler {
  return (_req, res) => {
    const code = readiness.fault()
    if (code) headOf(res)['Retry-After'] = 1
    const answer = {
      status: code ? 'unavailable' : 'ok',
      ...(code && { 'error-codes': [code] }),
      configuration: { sites: standing.sites(), ...shown(standing.inForce('configuration')) },
      keyring: shown(standing.inForce('keyring')),
    }
    sendJson(res, code ? 503 : 200, answer)
  }
}

function shown({ since, problem }: InForce): object {
  return { since: moment(since), ...(problem && { not_reloaded: { at: moment(problem.at), problem: problem.says } }) }
}

const moment = (ms: number): string => new Date(ms).toISOString()
