import type { AddressMark } from '../domain/address.ts'
import { type ChallengeClaims, powAt } from '../domain/challenge.ts'
import { Fault } from '../domain/codes.ts'
import { levelOf } from '../domain/difficulty.ts'
import { suspicion } from '../domain/history.ts'
import { workBudget } from '../domain/human-cost.ts'
import { proofVersion, putProof } from '../domain/proof/proof.ts'
import { allowsAction, allowsHostname, isAction, parseOrigin, type Site, type Work } from '../domain/site.ts'
import type { VisitRule } from '../domain/visit-rules.ts'
import { type Jti, later } from '../domain/words.ts'
import type { Clock, History, Ledger, Limiter, Networks, Random, Sites, Tokens } from '../ports.ts'
import type { ChallengeAnswer, ChallengeRequest } from '../wire.ts'
import { type Caller, markOf, placeOf, whoIs } from './caller.ts'
import { ruleFor } from './rule-for.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  readonly clock: Clock
  readonly random: Random
  readonly networks: Networks
}

export type IssueChallenge = (request: ChallengeRequest, caller: Caller) => Promise<ChallengeAnswer>

/**
 * limit → site → hostname → action → algorithm → difficulty → seal.
 *
 * Everything that must not change later is fixed here, inside the signature: site, origin, action, difficulty,
 * the token's life, the ledger's generation, and which browser proof is owed; its tasks come from the id.
 */
export function issueChallenge(ports: Ports): IssueChallenge {
  const { sites, tokens, ledger, limiter, history, clock, random, networks } = ports
  return async (request, caller) => {
    const now = clock.now()
    const mark = markOf(caller, tokens)
    // In one breath with the limiter, so that both are one round trip; history never throws.
    const remembered = history.challenged(mark?.hash, now)
    await limiter.take('challenge', whoIs(mark))

    const site = sites.bySitekey(request.sitekey)
    if (!site) throw new Fault('invalid-input-sitekey')
    caller.note({ sitekey: site.sitekey })

    const origin = parseOrigin(caller.origin)
    if (!origin || !allowsHostname(site, origin.hostname)) throw new Fault('hostname-not-allowed')
    caller.note({ hostname: origin.hostname })

    if (!isAction(request.action)) throw new Fault('bad-request')
    if (!allowsAction(site, request.action)) throw new Fault('action-not-allowed')

    const algorithm = request.algorithm ?? 's32.1'
    if (algorithm === 'pb.1') await allowFallback(site, mark)

    const near = await remembered
    const place = placeOf(site, request.action)
    const rule = ruleFor(site, caller, { action: request.action, network: networks.of(caller.address), at: now })
    if (rule) caller.note({ rule: rule.name })
    const level = levelOf(workUnder(rule, site.work), near, history.load(place, now))
    history.note({ place, what: 'challenged' })

    const jti = random.id() as Jti
    const claims: Omit<ChallengeClaims, 'kid'> = {
      jti,
      sitekey: site.sitekey,
      origin: origin.text,
      hostname: origin.hostname,
      action: request.action,
      cdata: request.cdata,
      generation: ledger.generation(jti),
      issuedAt: now,
      expiresAt: later(now, site.challengeLifetime),
      tokenLifetime: site.tokenLifetime,
      pow: powAt(level, algorithm, workBudget(site.work.humanCost)),
      suspected: Math.round(suspicion(near) * 100) / 100,
      proof: proofVersion(request.proof),
    }
    caller.note({ jti: claims.jti, action: claims.action, level })
    const challenge = tokens.sealChallenge(claims)
    const proof = claims.proof && putProof(tokens.derive('proof', jti, tokens.activeKid(now)), claims.proof)
    return { challenge, work: claims.pow, ...(proof && { proof }), expires_in: site.challengeLifetime }
  }

  /** Graphics cards are good at `pb.1`: it has a limit of its own, beside the one of all challenges. @throws {Fault} */
  async function allowFallback({ work }: Site, mark: AddressMark | undefined): Promise<void> {
    if (!work.fallback) throw new Fault('bad-request')
    await limiter.take('fallback', whoIs(mark))
  }
}

/** The site's work, from the level on that a rule of its sets; load and suspicion raise that, and the caps hold. */
function workUnder(rule: VisitRule | undefined, work: Work): Work {
  const level = rule?.effect.kind === 'adjust' ? rule.effect.work : undefined
  return level === undefined ? work : { ...work, level }
}
