import type { RequestHandler } from 'express'
import type { Log, Meters } from '../../ports/observing.ts'
import type { Limiter, Sites } from '../../ports/stores.ts'
import type { Tokens } from '../../ports/tokens.ts'
import { markOf, whoIs } from '../../protocol/caller.ts'
import { subscriberOf } from './caller.ts'
import { clientAddress, type Unreadable } from './client-ip.ts'
import { allowReader } from './cors.ts'
import { failureText, JSON_TYPE } from './failure.ts'
import { headOf, send } from './response-head.ts'

/** Milliseconds between two reports. */
const REPORT_MS = 1000

export interface RefuseAgainParts {
  readonly limiter: Pick<Limiter, 'refusesFor'>
  readonly tokens: Pick<Tokens, 'markAddress'>
  readonly sites: Sites
  readonly meters: Pick<Meters, 'request'>
  readonly log: Log
  readonly unreadable: Unreadable
}

/**
 * Refuses a challenge again, before its body is read, to an address that the limiter refuses without asking anybody.
 *
 * A flood from one address gets a full refusal once a second, with its line in the log, and this one in between, which costs
 * a fraction of it (bench/refusals.mjs). Each is counted, and one line tells how many there were in a second.
 */
export function refuseAgain({ limiter, tokens, sites, meters, log, unreadable }: RefuseAgainParts): RequestHandler {
  let sinceReport = 0

  function countRefusal(): void {
    if (sinceReport++ > 0) return
    setTimeout(() => {
      log.warn('challenges refused again', { detail: `${sinceReport} in a second, to addresses over their budget` })
      sinceReport = 0
    }, REPORT_MS).unref()
  }

  return (req, res, next) => {
    const address = clientAddress(req, res, unreadable)
    const retryAfter = limiter.refusesFor(whoIs(markOf({ address: subscriberOf(address) }, tokens)))
    // A value that is no number of seconds refuses nobody: the limiter is asked.
    if (retryAfter === undefined || !Number.isInteger(retryAfter)) return next()

    countRefusal()
    meters.request('challenge', { status: 429, code: CODE, ...(address && { network: address.network }) })
    const head = headOf(res)
    allowReader(head, req.headers.origin, sites)
    head['Cache-Control'] = 'no-store'
    head['Retry-After'] = retryAfter
    send(res, 429, JSON_TYPE, BODY)
  }
}

const CODE = 'rate-limit-exceeded'
const BODY = failureText([CODE])
