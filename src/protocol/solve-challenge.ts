import type { AddressMark } from '../domain/address.ts'
import { behaviourOf } from '../domain/behaviour.ts'
import { type ChallengeClaims, keepTokensUntil, LEDGER_MARGIN } from '../domain/challenge.ts'
import { Fault } from '../domain/codes.ts'
import { recordOf } from '../domain/decision-record.ts'
import { costBin } from '../domain/human-cost.ts'
import { checkProof, type ProofFacts } from '../domain/proof/proof.ts'
import { type Decision, scoreVisit } from '../domain/score.ts'
import { allowsHostname, type Site } from '../domain/site.ts'
import { parseSolution, partDone, pickPositions, type Samples } from '../domain/solution.ts'
import type { VisitFacts } from '../domain/score-rule.ts'
import type { VisitRule } from '../domain/visit-rules.ts'
import { type AttemptId, type Kid, later, type UnixSeconds } from '../domain/words.ts'
import type { Admission, Clock, History, Limiter, Networks, SolveCounted, Sites, Tokens } from '../ports.ts'
import type { SolveAnswer, SolveRequest, WireSignals } from '../wire.ts'
import { attemptFrom } from './attempt.ts'
import { type Caller, markOf, placeOf, whoIs } from './caller.ts'
import { workCheck } from './check-work.ts'
import { ruleFor } from './rule-for.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly admission: Admission
  readonly history: History
  readonly clock: Clock
  readonly networks: Networks
}

interface Opened {
  readonly site: Site
  readonly claims: ChallengeClaims
  readonly samples: Samples
}

type Facts = VisitFacts & Required<Pick<VisitFacts, 'network'>>

export type SolveChallenge = (request: SolveRequest, caller: Caller) => Promise<SolveAnswer>

/**
 * open → same page → parse → limit and consume → check the work → score → remember → mint.
 *
 * Opening asks nobody, so the limit may come with the ledger, in one call; seen from outside it comes first.
 * The challenge is consumed by the first body, before its work is looked at: a wrong or partial solution burns it,
 * and signals cannot be tried until they please. The same body again is answered again; its token has the same id.
 *
 * @see POW.md, "The protocol", step 3
 */
export function solveChallenge(ports: Ports): SolveChallenge {
  const { sites, tokens, limiter, admission, history, clock, networks } = ports
  const checkWork = workCheck()

  return async (request, caller) => {
    const now = clock.now()
    const mark = markOf(caller, tokens)
    let opened: Opened
    try {
      opened = open(request, caller, now)
    } catch (refusal) {
      await limiter.take('solve', whoIs(mark))
      throw refusal
    }
    const { site, claims, samples } = opened

    const attempt = attemptOf(request)
    const place = placeOf(site, claims.action)
    const behaviour = marksOf(request.signals, claims.kid)
    // In one breath with the ledger, so that both are one round trip; history never throws.
    const remembered = history.solved(mark?.hash, { jti: claims.jti, place, behaviour }, now)
    const consumption = await admission.admit('solve', whoIs(mark), {
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
    if (!(await checkWork(request.challenge, claims.pow, samples, positions))) {
      history.note({ place, address: mark?.hash, what: 'failed' })
      throw new Fault('invalid-input-solution')
    }

    const done = partDone(samples, claims.pow.n)
    const age = now - claims.issuedAt
    // Our clock counts whole seconds.
    const part = done < 1 ? { done, early: (age + 1) * 1000 < claims.pow.b } : undefined
    const units = Math.round(claims.pow.n * done)
    const known = await remembered
    const facts = {
      signals: request.signals,
      request: caller.facts(),
      units,
      part,
      fallback: claims.pow.a === 'pb.1',
      history: { ...known, suspected: claims.suspected },
      network: networks.of(caller.address),
      proof: proofOf(claims, request),
    }
    const rule = ruleFor(site, caller, { action: claims.action, network: facts.network, at: now })
    const decision = decide(site, facts, rule, caller)
    const workMs = request.signals.work?.ms
    if (workMs !== undefined) caller.note({ work_ms: workMs })
    if (known.first) {
      const passed = decision.score >= site.scoreThreshold
      const { solves: addressSolves } = known.address
      const report = { ms: workMs, units, age, addressSolves }
      const bin = passed && !facts.fallback ? costBin(report) : undefined
      const address = mark?.hash
      history.note({ place, address, what: 'solved', behaviour: behaviour?.exact, costBin: bin, unfinished: 1 - done })
      if (!passed) history.note({ place, address, what: 'low' })
    }
    return { token: mint(claims, decision, mark, caller), expires_in: claims.tokenLifetime }
  }

  /** What the visit shows, so that it is known when it comes again. */
  function marksOf(signals: WireSignals, kid: Kid): SolveCounted['behaviour'] {
    const behaviour = behaviourOf(signals)
    if (!behaviour) return undefined
    const mark = (text: string): string => tokens.markBehaviour(text, kid)
    return { exact: mark(behaviour.exact), alike: (behaviour.alike ?? []).map(mark) }
  }

  /** open → same page → parse: what asks nobody. @throws {Fault} */
  function open(request: SolveRequest, caller: Caller, now: UnixSeconds): Opened {
    const claims = tokens.openChallenge(request.challenge, now)
    if (claims === 'invalid') throw new Fault('invalid-input-challenge')
    if (claims === 'expired') throw new Fault('challenge-expired')
    caller.note({ sitekey: claims.sitekey, jti: claims.jti, hostname: claims.hostname, action: claims.action })

    const site = sites.bySitekey(claims.sitekey)
    if (!site) throw new Fault('invalid-input-challenge')
    if (caller.origin !== claims.origin || !allowsHostname(site, claims.hostname)) throw new Fault('bad-request')

    const samples = parseSolution(request.solution, claims.pow.n)
    if (!samples) throw new Fault('invalid-input-solution')
    return { site, claims, samples }
  }

  /** The tasks are made again from the id: nothing about a challenge was kept. */
  function proofOf({ jti, kid, proof }: ChallengeClaims, { signals }: SolveRequest): ProofFacts {
    return proof === undefined ? { is: 'unasked' } : checkProof(tokens.derive('proof', jti, kid), signals.proof)
  }

  /** Every claim is the challenge's, the id and the generation above all; only the moment and the decision are new. */
  function mint(
    challenge: ChallengeClaims,
    decision: Decision,
    address: AddressMark | undefined,
    caller: Caller,
  ): string {
    const { jti, sitekey, hostname, action, cdata, generation, tokenLifetime } = challenge
    const now = clock.now()
    const expiresAt = later(now, tokenLifetime)
    caller.note({ token_ends: expiresAt })
    return tokens.sealResponse({
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
      sealed: { decision, address },
    })
  }
}

/**
 * The body's hash: whoever sends the same body again is the same attempt, whoever changes anything is another. Challenge
 * and solution have been read, so there is no blank in them.
 */
const attemptOf = ({ challenge, solution, signals }: SolveRequest): AttemptId =>
  attemptFrom(`${challenge} ${solution} ${JSON.stringify(signals)}`)

/** Scores the visit with the site's weights and rule; all that it was scored from goes to the log. */
function decide(site: Site, facts: Facts, rule: VisitRule | undefined, caller: Caller): Decision {
  const { weights, scoreThreshold: threshold } = site
  const decision = scoreVisit(facts, weights, rule)
  const record = recordOf(decision, { weights, threshold, units: facts.units, network: facts.network, rule })
  caller.note({ score: decision.score, decision: record })
  return decision
}
