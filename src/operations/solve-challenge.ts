import { type ChallengeClaims, keepTokensUntil } from '../claims/challenge.ts'
import type { SealedClaims } from '../claims/response.ts'
import { isConfirmed, TICKET_LIFETIME } from '../claims/ticket.ts'
import { proofSeeds, type Tokens } from '../claims/tokens.ts'
import { Fault } from '../domain/codes.ts'
import type { NetworkFacts } from '../domain/network.ts'
import { thresholdsOf } from '../domain/site.ts'
import type { VisitRule } from '../domain/site-rules/visit-rules.ts'
import type { Clock, Networks } from '../domain/ports.ts'
import { later, type UnixSeconds } from '../domain/words.ts'
import { checkProofs, type ProofFacts } from '../proof/proof.ts'
import { recordOf } from '../score/decision-record.ts'
import type { VisitFacts } from '../score/visit-facts.ts'
import { type Decision, scoreVisit } from '../score/score.ts'
import type { SolveAnswer, SolveRequest, TicketAnswer, WireSignals } from '../wire.ts'
import { isOutpaced } from '../work/difficulty.ts'
import { type AcceptedWork, acceptWork, type Seen, type WorkPorts } from './accept-work.ts'
import type { Caller } from './caller.ts'
import { ruleFor, workUnder } from './rule-for.ts'
import { harsher, reachesThreshold, secondChance, toSeal } from './second-chance.ts'

interface Ports extends WorkPorts {
  readonly clock: Clock
  readonly networks: Networks
}

type Facts = VisitFacts & { readonly network: NetworkFacts }

export type SolveChallenge = ReturnType<typeof solveChallenge>['solve']

/**
 * (refuse a repeat →) accept the work → compare it with the current price → judge the visit → mint.
 *
 * A challenge whose source is now asked for much more work counts as expired: challenges are free, so the price is that of the
 * time at which they are solved. The decision that is sealed in a ticket is part of the score.
 *
 * @see docs/design/work.md, "The protocol"
 */
export function solveChallenge(ports: Ports) {
  const { tokens, clock, networks } = ports
  const chance = secondChance(ports)
  const { accept, refuseRepeat } = acceptWork(ports, chance)

  async function solve(
    request: SolveRequest,
    caller: Caller,
    seen?: Seen,
  ): Promise<SolveAnswer | TicketAnswer> {
    const now = clock.now()
    const work = await accept(request, caller, now, seen)
    const { site, claims, ticket, past, agent, address } = work
    const network = networks.lookUp(caller.address)
    const current = ruleFor(site, caller, { action: claims.action, network, agent, at: now })
    if (!ticket && isOutpaced(claims.pow, workUnder(current, site.work), past))
      throw Fault.of('challenge-expired')

    const first = ticket?.sealed.decision
    const rule = first ? harsher(site, current, first) : current
    const proof = proofOf(tokens, claims, request.signals)
    const facts = factsOf(work, request.signals, { network, proof, now })
    const decision = decide(work, facts, rule, caller)
    caller.note({ again: work.isRepeat || undefined, work_ms: request.signals.work?.ms })
    if (ticket && !work.isRepeat)
      caller.note({ step_up: reachesThreshold(site, claims.action, decision) ? 'helped' : 'done' })

    const keepUntil = keepTokensUntil(claims.expiresAt, claims.tokenLifetime)
    const visit = { ...claims, keepUntil, sealed: { decision, address } }
    const offered =
      request.step_up === '1' ? await chance.offer('managed', site, visit, caller) : undefined
    if (offered !== undefined) return { ticket: offered, expires_in: TICKET_LIFETIME }
    const token = await mint(claims, {
      decision: toSeal(decision),
      address,
      namedAgent: agent,
    })
    return { token, expires_in: claims.tokenLifetime }
  }

  return {
    solve,
    refuseRepeat: (challenge: string, caller: Caller) =>
      refuseRepeat(challenge, caller, clock.now()),
  }

  /** Signs the token. Its claims are those of the challenge, including id and generation; only the time and the decision are new. */
  function mint(challenge: ChallengeClaims, sealed: SealedClaims): Promise<string> {
    const { issuedAt: challengedAt, expiresAt, tokenLifetime } = challenge
    const issuedAt = clock.now()
    const keepUntil = keepTokensUntil(expiresAt, tokenLifetime)
    const lives = { challengedAt, issuedAt, expiresAt: later(issuedAt, tokenLifetime), keepUntil }
    return tokens.signResponse({ ...challenge, ...lives, sealed })
  }
}

/** Checks the answers of the browser proof. Its tasks are derived from the id again: nothing about a challenge is stored. */
const proofOf = (tokens: Tokens, claims: ChallengeClaims, signals: WireSignals): ProofFacts =>
  claims.proof === undefined
    ? { is: 'unasked' }
    : checkProofs(proofSeeds(tokens, claims), signals.proof)

/** Collects the evidence: the summary, the request, and facts from the server, history and local files. */
function factsOf(
  { claims, done, ticket, facts, past, distance }: AcceptedWork,
  signals: WireSignals,
  {
    network,
    proof,
    now,
  }: { readonly network: NetworkFacts; readonly proof: ProofFacts; readonly now: UnixSeconds },
): Facts {
  const isWhole = proof.is === 'answered' && proof.wrong === 0
  return {
    signals,
    request: facts,
    units: Math.round(claims.pow.n * done),
    part: done < 1 ? done : undefined,
    fallback: claims.pow.a === 'pb.1',
    history: past,
    distance,
    network,
    proof,
    stepped: ticket !== undefined && isWhole && isConfirmed(signals, now - claims.issuedAt),
  }
}

/** Scores the visit with the site's weights and rule, and notes all inputs for the log. */
function decide(
  { site, claims, ticket }: AcceptedWork,
  facts: Facts,
  rule: VisitRule | undefined,
  caller: Caller,
): Decision {
  const { weights } = site
  const threshold = thresholdsOf(site, claims.action).scoreThreshold
  const first = ticket?.sealed.decision
  const decision = scoreVisit(facts, weights, rule, first)
  const record = recordOf(decision, {
    weights,
    threshold,
    units: facts.units,
    network: facts.network,
    rule,
    first,
  })
  caller.note({ score: decision.score, decision: record })
  return decision
}
