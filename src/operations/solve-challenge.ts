import { type Distance, distanceOf } from '../domain/address-mark.ts'
import { type ChallengeClaims, keepTokensUntil, LEDGER_MARGIN } from '../claims/challenge.ts'
import { Fault } from '../domain/codes.ts'
import type { SealedClaims, SealedDecision } from '../claims/response.ts'
import { recordOf } from '../score/decision-record.ts'
import type { Neighbourhood } from '../domain/history.ts'
import { isOutpaced } from '../work/difficulty.ts'
import { checkProofs, type ProofFacts } from '../proof/proof.ts'
import { type Decision, scoreVisit } from '../score/score.ts'
import type { NetworkFacts } from '../domain/network.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
import { partDone, pickPositions } from '../work/solution.ts'
import type { VisitFacts } from '../score/visit-facts.ts'
import type { VisitRule } from '../domain/site-rules/visit-rules.ts'
import { isConfirmed, TICKET_LIFETIME } from '../claims/ticket.ts'
import { type Action, later, type UnixSeconds } from '../domain/words.ts'
import type { Agents, Clock, History, Ledger, Limiter, Networks, Sites } from '../domain/stores.ts'
import type { Tokens } from '../claims/tokens.ts'
import type { SolveAnswer, SolveRequest, TicketAnswer, WireSignals } from '../wire.ts'
import { attemptOf } from './attempt.ts'
import { agentOf, type Caller, markOf, placeOf, whoIs } from './caller.ts'
import { workCheck } from './check-work.ts'
import { type OpenedSolve, openSolve } from './open-solve.ts'
import { proofSeeds } from './proof-seeds.ts'
import { ruleFor, workUnder } from './rule-for.ts'
import { harsher, passes, secondChance, toSeal } from './second-chance.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly ledger: Pick<Ledger, 'consume'>
  readonly limiter: Limiter
  readonly history: History
  readonly clock: Clock
  readonly networks: Networks
  /** If omitted: none are configured. */
  readonly agents?: Agents | undefined
}

type Facts = VisitFacts & { readonly network: NetworkFacts }

interface Known {
  readonly past: Neighbourhood
  readonly distance: Distance | undefined
  readonly now: UnixSeconds
}

/** Halves of a visit that each one takes up. */
const VISIT = 2
/** Extra cost of a visit that shows little, in halves of a visit. It depends on the input shown, not on the score. */
const LITTLE_SHOWN = 1
/**
 * Extra cost of a solution from another address than its challenge's, in halves of a visit, so that a relay saves
 * nothing.
 */
const RELAYED = 2
/** Input events of a visit that shows enough: a few keys or one movement of a pointer. */
const ENOUGH_EVENTS = 6

const showsLittle = ({ input, page }: WireSignals): boolean =>
  (input?.trusted ?? 0) < ENOUGH_EVENTS || page?.visible !== 1

/** What a solution takes up of the budget of its address and networks, in halves of a visit. */
const costOf = (signals: WireSignals, distance: Distance | undefined): number =>
  VISIT + (showsLittle(signals) ? LITTLE_SHOWN : 0) + (distance === 'elsewhere' ? RELAYED : 0)

export type SolveChallenge = (request: SolveRequest, caller: Caller) => Promise<SolveAnswer | TicketAnswer>

/**
 * open → same page → parse → limit → consume → check the work → limit of visits, consume the ticket, remember →
 * compare the work → score → mint.
 *
 * Opening asks nobody, so seen from outside the limit comes first.
 * The challenge is consumed by the first body, before its work is looked at: a wrong or partial solution burns it,
 * and signals cannot be tried until they please. The same body again is answered again; its token has the same id.
 * A ticket is consumed by the first solution whose work is right; the decision sealed in it goes into the score.
 * A challenge that asked for much less work than its source is asked for by now counts as expired, and as a solve: challenges
 * are free, so their price is that of the moment in which they are solved.
 * Nothing is remembered before the work was found right: junk leaves its ledger entry, and a point of its own address.
 *
 * @see docs/design/work.md, "The protocol"
 */
export function solveChallenge(ports: Ports): SolveChallenge {
  const { sites, tokens, ledger, limiter, history, clock, networks, agents } = ports
  const chance = secondChance(ports)
  const open = openSolve({ sites, tokens }, chance)
  const checkWork = workCheck()

  return async (request, caller) => {
    const now = clock.now()
    let opened: OpenedSolve
    try {
      opened = await open(request, caller, now)
    } catch (refusal) {
      await limiter.take('solve', whoIs(markOf(caller, tokens)))
      throw refusal
    }
    const { site, claims, samples, ticket } = opened
    const mark = markOf(caller, tokens, undefined, claims.address)

    const attempt = attemptOf(request)
    await limiter.take('solve', whoIs(mark))
    const consumption = await ledger.consume({
      kind: 'challenge',
      jti: claims.jti,
      generation: claims.generation,
      attempt,
      expiresAt: claims.expiresAt,
      keepUntil: later(claims.expiresAt, LEDGER_MARGIN),
    })
    if (consumption !== 'ours') throw new Fault('challenge-expired')

    const dice = tokens.derive('positions', `${claims.jti}.${attempt}`, claims.kid)
    const positions = pickPositions(dice, samples.length)
    // Our widget never hands in a part before its time is over. Our clock counts whole seconds.
    const isEarly = partDone(samples, claims.pow.n) < 1 && (now - claims.issuedAt + 1) * 1000 < claims.pow.b
    if (isEarly || !(await checkWork(attempt, request.challenge, claims.pow, samples, positions))) {
      throw new Fault('invalid-input-solution')
    }

    // Marks made with two keys always differ: the address is marked again only where these do.
    const solved = claims.address === mark ? mark : markOf(caller, tokens, claims.kid)
    const distance = distanceOf(claims.address, solved)
    const isPart = partDone(samples, claims.pow.n) < 1
    const place = placeOf(site, claims.action)
    // At once: when Redis takes 200 ms for each answer, the deadline leaves room for three in turn. If the limit refuses, the
    // same body is answered later: its challenge and ticket are consumed by this attempt, and history counts a challenge once.
    const [past] = await Promise.all([
      history.solved(mark, { jti: claims.jti, place, isPart }, now),
      limiter.take('visit', whoIs(mark), costOf(request.signals, distance)),
      ticket && chance.consume(ticket, attempt),
    ])
    const facts = factsOf(opened, request, caller, { past, distance, now })
    const agent = namedTwice(claims, caller, now)
    const current = ruleFor(site, caller, { action: claims.action, network: facts.network, agent, at: now })
    if (!ticket && isOutpaced(claims.pow, workUnder(current, site.work), past)) throw new Fault('challenge-expired')
    const first = ticket?.sealed.decision
    const rule = first ? harsher(site, current, first) : current
    const decision = decide(site, claims.action, facts, rule, caller, first)
    if (ticket) caller.note({ step_up: passes(site, claims.action, decision) ? 'helped' : 'done' })
    const sealed = { decision: toSeal(decision), address: mark, namedAgent: agent }
    const keepUntil = keepTokensUntil(claims.expiresAt, claims.tokenLifetime)
    const visit = { ...claims, keepUntil, sealed: { decision, address: mark } }
    const offered = request.step_up === '1' ? await chance.offer('managed', site, visit, caller) : undefined
    if (offered !== undefined) return { ticket: offered, expires_in: TICKET_LIFETIME }
    return { token: await mint(claims, sealed), expires_in: claims.tokenLifetime }
  }

  /** Gathers the evidence: the summary, the request, and what server, history and local files know of the visit. */
  function factsOf(
    { claims, samples, ticket }: OpenedSolve,
    request: SolveRequest,
    caller: Caller,
    more: Known,
  ): Facts {
    const { past, distance, now } = more
    const done = partDone(samples, claims.pow.n)
    const workMs = request.signals.work?.ms
    if (workMs !== undefined) caller.note({ work_ms: workMs })
    const proof = proofOf(claims, request)
    const isWhole = proof.is === 'answered' && proof.wrong === 0
    const isPressed = isConfirmed(request.signals, now - claims.issuedAt)
    return {
      signals: request.signals,
      request: caller.facts(),
      units: Math.round(claims.pow.n * done),
      part: done < 1 ? done : undefined,
      fallback: claims.pow.a === 'pb.1',
      history: past,
      distance,
      network: networks.of(caller.address),
      proof,
      stepped: ticket !== undefined && isWhole && isPressed,
    }
  }

  /**
   * The agent that asked for the challenge and solves it. Both requests have to name it, so that a challenge that a signed
   * browser obtained is worth nothing more to an unsigned one.
   */
  function namedTwice({ namedAgent }: ChallengeClaims, caller: Caller, now: UnixSeconds): string | undefined {
    const { name } = agentOf(agents, caller, now)
    if (name === undefined || name !== namedAgent) return undefined
    caller.note({ agent: name })
    return name
  }

  /** The tasks are made again from the id: nothing about a challenge is stored. */
  function proofOf(claims: ChallengeClaims, { signals }: SolveRequest): ProofFacts {
    return claims.proof === undefined ? { is: 'unasked' } : checkProofs(proofSeeds(tokens, claims), signals.proof)
  }

  /** Every claim is the challenge's, the id and the generation above all; only the moment and the decision are new. */
  function mint(challenge: ChallengeClaims, sealed: SealedClaims): Promise<string> {
    const { jti, sitekey, hostname, action, cdata, generation, tokenLifetime } = challenge
    const now = clock.now()
    const expiresAt = later(now, tokenLifetime)
    return tokens.signResponse({
      jti,
      sitekey,
      hostname,
      action,
      cdata,
      generation,
      challengedAt: challenge.issuedAt,
      issuedAt: now,
      expiresAt,
      keepUntil: keepTokensUntil(challenge.expiresAt, tokenLifetime),
      sealed,
    })
  }
}

/** Scores the visit with the site's weights and rule; all that it was scored from goes to the log. */
function decide(
  site: Site,
  action: Action,
  facts: Facts,
  rule: VisitRule | undefined,
  caller: Caller,
  first: SealedDecision | undefined,
): Decision {
  const { weights } = site
  const threshold = thresholdsOf(site, action).scoreThreshold
  const decision = scoreVisit(facts, weights, rule, first)
  const record = recordOf(decision, { weights, threshold, units: facts.units, network: facts.network, rule, first })
  caller.note({ score: decision.score, decision: record })
  return decision
}
