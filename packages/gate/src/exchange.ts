/** `POST /.hv/pass`: exchanges a token for a clearance. The ledger of the service consumes it, so that one token gives one. */
import { type Refusal, type Verification, verify } from '@human-verification/client'
import { type Answer, FORBIDDEN, json, noContent } from './answers.ts'
import type { Clearances, Level } from './clearances.ts'
import { isSameOrigin } from './fetch-metadata.ts'
import type { Log } from './log.ts'
import type { Meters } from './meters.ts'
import type { Gate } from './read-settings.ts'
import { networkOf, type Visit } from './visit.ts'

/** The two actions of a site: a visit without a press, and one with a press. Their thresholds are the site's own. */
export const ACTIONS = { 1: 'gate', 2: 'gate-pressed' } as const
/** Bytes of the body; a token has about 900. */
const MOST_BYTES = 16_384
const SOLVED_ELSEWHERE =
  'the service saw another network than the gate: is another proxy in front? See "Another proxy in front" in the guide'

/** A gate under the name by which a host was found. */
export interface Place {
  readonly gate: Gate
  readonly name: string
  readonly clearances: Clearances
}

interface Parts {
  readonly service: string
  readonly meters: Meters
  readonly log: Log
}

/** @param readBody reads the body of the request. */
export async function exchange(
  visit: Visit,
  { gate, name, clearances }: Place,
  readBody: () => Promise<string>,
  { service, meters, log }: Parts,
): Promise<Answer> {
  // Otherwise a page of another site could plant its own clearance here, and share its limits.
  if (visit.method !== 'POST' || !isSameOrigin(visit)) return FORBIDDEN
  // A body without a length is no browser's.
  if (!(Number(visit.headers['content-length']) <= MOST_BYTES)) return FORBIDDEN
  const fields = new URLSearchParams(await readBody())
  const level: Level = fields.get('action') === ACTIONS[2] ? 2 : 1
  const network = networkOf(visit.address)
  const verification = await verify({
    url: service,
    secret: gate.secret,
    response: fields.get('svc-response'),
    action: ACTIONS[level],
    hostnames: [visit.host],
    // A token that was solved elsewhere may have been bought there. A provider may give one customer several addresses at once,
    // so the network counts, as it does for a clearance.
    remoteip: gate.bind === 'network' && network !== 'unknown' ? network : undefined,
  })
  meters.passes.inc({ host: name, result: resultOf(verification), level })
  const facts = { hostname: name, action: ACTIONS[level], network }
  if (!verification.accepted) return refuse(verification, facts, log)
  meters.funnel.inc({ host: name, step: 'passed' })
  const { id, cookie } = await clearances.issue(visit, level)
  log.info('clearance given', { ...facts, score: verification.score, clearance: id })
  return noContent({ 'set-cookie': cookie })
}

/** Names the result for the metrics. */
function resultOf(verification: Verification): 'passed' | 'unavailable' | 'refused' {
  if (verification.accepted) return 'passed'
  return verification.retryable ? 'unavailable' : 'refused'
}

function refuse(
  { retryable, retryAfter, rule, why, codes, stepUp }: Refusal,
  facts: Readonly<Record<string, string>>,
  log: Log,
): Answer {
  const isElsewhere = codes.includes('remoteip-mismatch')
  const detail = isElsewhere ? SOLVED_ELSEWHERE : why
  log[retryable || isElsewhere ? 'warn' : 'info']('clearance refused', { ...facts, rule, detail })
  if (isElsewhere) return json(403, { error: 'refused', why: 'address' })
  if (!retryable) return json(403, { error: 'refused', step_up: stepUp })
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return json(503, { error: 'unavailable' }, headers)
}
