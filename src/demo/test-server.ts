import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'express'
import { Fault, type FaultCode, type Rejection } from '../domain/codes.ts'
import { formatTimestamp } from '../domain/time.ts'
import { seconds, unixSeconds } from '../domain/words.ts'
import { fieldsIn, takeBody } from '../http/body.ts'
import type { App } from '../http/messages.ts'
import { endApplication, exactApplication, noStore } from '../http/application.ts'
import { pathOf, SHAPES, spell, spellsFaults } from '../http/vendor-shapes.ts'
import type { Log } from '../domain/observing.ts'
import { hashSecret, testSecret } from '../settings/secrets.ts'
import { OPERATIONS, type SiteverifyAnswer } from '../wire.ts'
import { claimsOf } from './decisions.ts'

/** The one site of the test server. */
const TEST_SITEKEY = 'hv_site_testsite'

/** One fixed outcome of siteverify, chosen by the secret and by nothing else. */
export interface Outcome {
  readonly secret: string
  readonly says: string
  /** Answers a token, which is not looked at. @throws {Fault} */
  answer(visit: Visit): SiteverifyAnswer | Promise<SiteverifyAnswer>
}

/** What the token says of the visit, else what the request says. */
interface Visit {
  readonly hostname: string
  readonly action: string
}

/** Milliseconds; longer than a customer's server should wait. */
const SLOW_MS = 5000

const accepted = ({ hostname, action }: Visit): SiteverifyAnswer => ({
  success: true,
  challenge_ts: formatTimestamp(unixSeconds(Math.floor(Date.now() / 1000))),
  hostname,
  score: 0.9,
  score_threshold: 0.5,
  action,
  'error-codes': [],
})

const outcome = (name: string, says: string, answer: Outcome['answer']): Outcome => ({
  secret: testSecret(name),
  says,
  answer,
})
const rejection = (code: Rejection, says: string, fields: object = {}): Outcome => {
  const answer = { success: false, ...fields, 'error-codes': [code] } as SiteverifyAnswer
  return outcome(code, `200, rejected: ${says}`, () => answer)
}
const fault = (code: FaultCode, says: string): Outcome =>
  outcome(code, says, () => {
    throw new Fault(code, { retryAfter: seconds(1) })
  })

/** The table of docs/start/testing.md. */
export const OUTCOMES: readonly Outcome[] = [
  outcome('accepted', '200, accepted, score 0.9', accepted),
  outcome('slow', 'as accepted, after 5 s: your timeout must refuse', (visit) =>
    sleep(SLOW_MS, accepted(visit)),
  ),
  rejection('low-score', 'score 0.1, threshold 0.5', { score: 0.1, score_threshold: 0.5 }),
  rejection('timeout-or-duplicate', 'expired, or already used'),
  rejection('action-mismatch', 'the token is for another action', {
    action: 'hv-test-another-action',
  }),
  rejection('remoteip-mismatch', 'solved from another address'),
  fault('bad-request', '400, as if a field were malformed'),
  fault('rate-limit-exceeded', '429, with `Retry-After`'),
  fault('database-unavailable', '503, with `Retry-After`'),
]

/** Answers by the secret alone. An unknown secret is refused as by the service. */
async function answerOf(req: Request): Promise<SiteverifyAnswer> {
  const fields = await fieldsIn(req)
  const found = OUTCOMES.find(({ secret }) => secret === fields.get('secret'))
  if (!found) throw Fault.of('invalid-input-secret')
  const [response, asked] = [fields.get('response'), fields.get('action')]
  if (typeof response !== 'string' || response === '') throw Fault.of('missing-input-response')
  // Any text that is not one of our tokens stands for a visit to localhost.
  const { hst: hostname = 'localhost', act = typeof asked === 'string' ? asked : '' } =
    claimsOf(response)
  return found.answer({ hostname, action: act })
}

/** The service with a siteverify, in every shape, that answers by the secret alone. */
export function testApp(app: App, log: Log): App {
  const verdicts = exactApplication()
  verdicts.post(OPERATIONS.siteverify.path, noStore, ...takeBody, async (req, res) => {
    res.json(await answerOf(req))
  })
  const shapes = Object.values(SHAPES)
  for (const shape of shapes)
    verdicts.post(pathOf(shape), noStore, spellsFaults(shape), ...takeBody, async (req, res) => {
      res.json(spell(shape, await answerOf(req)))
    })
  const judge = endApplication(verdicts, log)
  const isJudged = (path: string): boolean =>
    path === OPERATIONS.siteverify.path || shapes.some((shape) => pathOf(shape).test(path))
  return (req, res, unreadable) => {
    const answer: App = req.method === 'POST' && isJudged(req.url ?? '') ? judge : app
    answer(req, res, unreadable)
  }
}

/** The configuration of the test server, as the text of a file. @param address `127.0.0.1:8082`; port 0 picks a free one. */
export function testConfig(address: string, hostnames: readonly string[]): string {
  const limits = [
    'challenge',
    'solve',
    'siteverify',
    'fallback',
    'ticket',
    'junk',
    'invalid_secret',
  ]
  const site = {
    sitekey: TEST_SITEKEY,
    // Every secret is answered before the service sees it; a configuration refuses those that are published.
    secrets: [{ sha256: hashSecret(randomUUID()) }],
    hostnames: [...new Set(['localhost', '127.0.0.1', '[::1]', ...hostnames])],
    work: { level: 0 },
  }
  return JSON.stringify({
    version: 1,
    listen: address,
    ops_listen: '127.0.0.1:0',
    log_level: 'warn',
    limits: Object.fromEntries(limits.map((name) => [name, '100000000 per 1m'])),
    sites: [site],
  })
}

/** What `hv test-server --json` prints once it listens. */
export const greetingData = (url: string): object => ({
  url,
  sitekey: TEST_SITEKEY,
  secrets: OUTCOMES.map(({ secret, says }) => ({ secret, says })),
})

/** What `hv test-server` prints once it listens. */
export const greeting = (url: string): string =>
  [
    `human-verification test server: ${url}`,
    'Protects nothing: these secrets are public. docs/start/testing.md',
    `  sitekey  ${TEST_SITEKEY}`,
    ...OUTCOMES.map(({ secret, says }) => `  ${secret}  ${says}`),
  ].join('\n')
