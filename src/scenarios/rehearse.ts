import { Fault } from '../domain/codes.ts'
import type { ResponseClaims } from '../domain/response.ts'
import {
  type Scenario,
  SCENARIO_THRESHOLD,
  scenarioBySecret,
  scenarioBySitekey,
  scenarioSecret,
  scenarioSitekey,
  TEST_RESPONSE,
} from '../domain/scenarios.ts'
import { ticketOf } from '../domain/ticket.ts'
import { rejected, type Verdict } from '../domain/verdict.ts'
import { type Action, type Hostname, type Jti, type Kid, later, seconds } from '../domain/words.ts'
import type { Clock, Ledger, Random } from '../ports/stores.ts'
import type { Tokens } from '../ports/tokens.ts'
import type { IssueChallenge } from '../protocol/issue-challenge.ts'
import type { VerifyResponse } from '../protocol/verify-response.ts'
import type { SiteverifyRequest } from '../wire.ts'

interface Stage {
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Pick<Ledger, 'generation'>
  readonly tokens: Pick<Tokens, 'signTicket'>
}

/** Of `action-mismatch` without a genuine token. */
const ANOTHER_ACTION = 'hv-test-another-action'
const DUMMY_HOSTNAME = 'localhost' as Hostname
const RETRY_AFTER = seconds(1)
/** What the second try of `step-up` scores. */
const SECOND_SCORE = 0.65

/** The challenge in test mode: says so, and plays what a scenario sitekey asks for. */
export function rehearseChallenge(issue: IssueChallenge): IssueChallenge {
  return async (request, caller) => {
    const fault = scenarioBySitekey(request.sitekey)?.page?.fault
    if (fault !== undefined) throw new Fault(fault, { retryAfter: RETRY_AFTER })
    return { ...(await issue(request, caller)), test: true }
  }
}

/**
 * siteverify in test mode: fail → verify for real → play the scenario.
 *
 * A secret of a site that is configured is verified for real, and nothing else happens. A scenario's secret gives its
 * outcome; the one of `pass` leaves it to the sitekey that the token is for, so that a server that is already running
 * can be driven from the page. A genuine token is opened, consumed and judged as always, once.
 */
export function rehearseSiteverify(verify: VerifyResponse, stage: Stage): VerifyResponse {
  return async (request, caller) => {
    const own = scenarioBySecret(request.secret)
    if (!own) return verify(request, caller)
    const { scenario, visited } = played(own, request.response)
    caller.note({ sitekey: scenarioSitekey(scenario) })

    if (scenario.fault !== undefined) throw new Fault(scenario.fault, { retryAfter: RETRY_AFTER })

    const verdict =
      request.response === TEST_RESPONSE
        ? dummyVerdict(request, own, stage)
        : await verify({ ...request, secret: scenarioSecret(visited ?? own) }, caller)
    return verdict.accepted ? await play(scenario, verdict, stage) : verdict
  }
}

/** Milliseconds by which an answer comes late, for the fields of a challenge or of siteverify. */
export function lateness(field: (name: string) => unknown): number {
  const page = scenarioBySitekey(String(field('sitekey')))?.page
  const own = scenarioBySecret(String(field('secret')))
  return page?.delayMs ?? (own && played(own, String(field('response'))).scenario.delayMs) ?? 0
}

/** The secret's scenario, or with the secret of `pass` the one whose page the token comes from. */
function played(own: Scenario, response: string): { scenario: Scenario; visited: Scenario | undefined } {
  const visited = scenarioBySitekey(audienceOf(response) ?? '')
  return { scenario: own.name === 'pass' ? (visited ?? own) : own, visited }
}

/** What the scenario makes of a visit that is accepted in truth. */
async function play(scenario: Scenario, verdict: Verdict & { accepted: true }, stage: Stage): Promise<Verdict> {
  const { rejection } = scenario
  const { claims } = verdict
  if (scenario.stepUp === true) {
    if (claims.sealed.decision.stepped) return byScore({ ...scenario, score: SECOND_SCORE }, claims)
    const stepUp = await stage.tokens.signTicket(ticketOf(claims, stage.clock.now()))
    return { ...byScore(scenario, claims), stepUp } as Verdict
  }
  if (rejection === undefined) return byScore(scenario, claims)
  return rejection === 'action-mismatch'
    ? { accepted: false, code: rejection, action: ANOTHER_ACTION }
    : rejected(rejection)
}

function byScore({ score }: Scenario, claims: ResponseClaims): Verdict {
  if (score < SCENARIO_THRESHOLD) {
    return { accepted: false, code: 'low-score', score, scoreThreshold: SCENARIO_THRESHOLD }
  }
  const decision = { ...claims.sealed.decision, score }
  const scored: ResponseClaims = { ...claims, sealed: { ...claims.sealed, decision } }
  return { accepted: true, claims: scored, scoreThreshold: SCENARIO_THRESHOLD }
}

/** What the fixed text stands for: a visit to a page on localhost, a moment ago, for the action that is expected. */
function dummyVerdict({ action = 'test' }: SiteverifyRequest, scenario: Scenario, stage: Stage) {
  const now = stage.clock.now()
  const jti = stage.random.id() as Jti
  const claims: ResponseClaims = {
    jti,
    // Sealed by nobody.
    kid: '' as Kid,
    sitekey: scenarioSitekey(scenario),
    hostname: DUMMY_HOSTNAME,
    action: action as Action,
    cdata: undefined,
    generation: stage.ledger.generation(jti),
    challengedAt: now,
    issuedAt: now,
    expiresAt: later(now, 120),
    keepUntil: later(now, 120),
    sealed: { decision: { score: 1, contributions: [], rule: undefined }, address: undefined },
  }
  return { accepted: true, claims, scoreThreshold: SCENARIO_THRESHOLD } as const
}

/** The sitekey a token says it is for; only chooses whose secret opens it, so a lie opens nothing. */
function audienceOf(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      aud?: unknown
    } | null
    return typeof claims?.aud === 'string' ? claims.aud : undefined
  } catch {
    return undefined
  }
}
