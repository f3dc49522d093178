import { createHash } from 'node:crypto'
import type { FaultCode, Rejection } from './codes.ts'
import type { Site } from './site.ts'
import { RELEASED } from '../score/weights.ts'
import { seconds, type Sitekey } from './words.ts'

/** Milliseconds that the slow scenarios take: longer than a client waits (3 s by default). */
export const SLOW_MS = 5000
/** The threshold of the scenario sites, which is the default of every other site. */
export const SCENARIO_THRESHOLD = 0.5

/** Things that happen when a scenario is played, to every visitor. */
export interface Scenario {
  readonly name: string
  /** One line for the table of docs/start/testing.md. */
  readonly says: string
  /** siteverify: the score of every visit, 0 to 1. */
  readonly score: number
  /** siteverify: instead of a verdict by the score. */
  readonly rejection?: Exclude<Rejection, 'low-score'>
  readonly fault?: FaultCode
  readonly delayMs?: number
  /** The challenge, in the page: the widget gets no further, or late. */
  readonly page?: { readonly fault?: FaultCode; readonly delayMs?: number }
  /** A first visit gets a ticket, and the second one passes. */
  readonly stepUp?: boolean
}

const PASS = 0.9
const rejection = (code: NonNullable<Scenario['rejection']>, says: string): Scenario => ({
  name: code,
  says,
  score: PASS,
  rejection: code,
})
const fault = (code: FaultCode, says: string): Scenario => ({ name: code, says, score: PASS, fault: code })
const page = (name: string, says: string, what: NonNullable<Scenario['page']>): Scenario => ({
  name: `page-${name}`,
  says,
  score: PASS,
  page: what,
})

/** One for every outcome of docs/design/contract.md, "Codes". `score-NN` are a hundred more. */
export const NAMED_SCENARIOS: readonly Scenario[] = [
  { name: 'pass', says: '200, accepted, score 0.9', score: PASS },
  {
    name: 'slow',
    says: `as pass, after ${SLOW_MS / 1000} s: your time-out must refuse`,
    score: PASS,
    delayMs: SLOW_MS,
  },
  { name: 'low-score', says: '200, rejected, score 0.1, threshold 0.5', score: 0.1 },
  {
    name: 'step-up',
    says: '200, rejected, score 0.1, with a ticket in `step_up`; a token of the second try is accepted (docs/widget/refused.md)',
    score: 0.1,
    stepUp: true,
  },
  rejection('timeout-or-duplicate', '200, rejected: expired, or already used'),
  rejection('action-mismatch', '200, rejected: the token is for another action'),
  rejection('remoteip-mismatch', '200, rejected: solved from another address'),
  fault('missing-input-secret', '400, as if no secret had been sent'),
  fault('invalid-input-secret', '400, as if the secret were wrong'),
  fault('missing-input-response', '400, as if no token had been sent'),
  fault('invalid-input-response', '400, as if the token were not ours'),
  fault('bad-request', '400, as if a field were malformed'),
  fault('rate-limit-exceeded', '429, with `Retry-After`'),
  fault('database-unavailable', '503, with `Retry-After`'),
  fault('database-schema-outdated', '503, with `Retry-After`'),
  fault('rate-limiter-unavailable', '503, with `Retry-After`'),
  fault('internal-error', '500'),
  page('hostname-not-allowed', 'in the page: 400, the widget is refused here', { fault: 'hostname-not-allowed' }),
  page('action-not-allowed', 'in the page: 400, the action is not the site’s', { fault: 'action-not-allowed' }),
  page('rate-limit-exceeded', 'in the page: 429, the widget waits and tries again', { fault: 'rate-limit-exceeded' }),
  page('database-unavailable', 'in the page: 503, the widget tries again', { fault: 'database-unavailable' }),
  page('slow', `in the page: the challenge comes after ${SLOW_MS / 1000} s`, { delayMs: SLOW_MS }),
]

/** `score-00` to `score-100`: accepted from the threshold on, `low-score` below. */
const SCORES: readonly Scenario[] = Array.from({ length: 101 }, (_, hundredths) => ({
  name: `score-${String(hundredths).padStart(2, '0')}`,
  says: `200, score ${hundredths / 100}`,
  score: hundredths / 100,
}))

export const SCENARIOS: readonly Scenario[] = [...NAMED_SCENARIOS, ...SCORES]

/** A response token for tests without a browser: every scenario secret takes it, as often as it is sent. */
export const TEST_RESPONSE = 'hv_test_response'

export const scenarioSitekey = ({ name }: Scenario): Sitekey => `hv_site_test_${name}` as Sitekey
export const scenarioSecret = ({ name }: Scenario): string => `hv_secret_test_${name}_for_tests_only`
const hashOf = (scenario: Scenario): string =>
  createHash('sha256').update(scenarioSecret(scenario), 'utf8').digest('hex')

const bySitekey = new Map<string, Scenario>(SCENARIOS.map((scenario) => [scenarioSitekey(scenario), scenario]))
const bySecret = new Map(SCENARIOS.map((scenario) => [scenarioSecret(scenario), scenario]))
const hashes = new Set(SCENARIOS.map(hashOf))

export const scenarioBySitekey = (sitekey: string): Scenario | undefined => bySitekey.get(sitekey)
export const scenarioBySecret = (secret: string): Scenario | undefined => bySecret.get(secret)
/** Reports whether a secret's hash is one that everybody knows from docs/start/testing.md. */
export const isScenarioHash = (sha256: string): boolean => hashes.has(sha256)

/** Where scenarios may be played besides the configured hostnames: names that only this machine or a test has (RFC 6761). */
const TEST_HOSTNAMES = ['localhost', '*.localhost', '127.0.0.1', '[::1]', '*.test'] as const

/**
 * The sites of the scenarios; they exist in test mode only. Any action, the least work, and any score: what is
 * decided, the scenario decides.
 */
export function scenarioSites(hostnames: readonly string[]): readonly Site[] {
  const all = [...new Set([...TEST_HOSTNAMES, ...hostnames])]
  return SCENARIOS.map((scenario) => ({
    sitekey: scenarioSitekey(scenario),
    name: `test mode: ${scenario.name}`,
    secrets: [{ sha256: hashOf(scenario) }],
    hostnames: all,
    scoreThreshold: 0,
    tokenLifetime: seconds(120),
    challengeLifetime: seconds(600),
    work: { level: 0, maxLevel: 0, humanCost: seconds(2), fallback: true },
    stepUp: scenario.stepUp === true ? 'ticket' : 'off',
    passes: false,
    agents: false,
    bind: false,
    reasons: false,
    rules: [],
    weights: RELEASED,
  }))
}
