import { type ChallengeClaims, STEPS, unitsAtLevel } from '../domain/challenge.ts'
import { Fault } from '../domain/codes.ts'
import { allowsAction, allowsHostname, isAction, parseOrigin } from '../domain/site.ts'
import { type Jti, later } from '../domain/words.ts'
import type { Clock, Ledger, Limiter, Random, Sites, Tokens } from '../ports.ts'
import type { ChallengeAnswer, ChallengeRequest } from '../wire.ts'
import { type Caller, whoIs } from './caller.ts'

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly clock: Clock
  readonly random: Random
}

export type IssueChallenge = (request: ChallengeRequest, caller: Caller) => Promise<ChallengeAnswer>

/**
 * limit → site → hostname → action → seal.
 *
 * Everything that must not change later is fixed here, inside the signature: site, origin, action, difficulty,
 * the token's life, and the ledger's generation.
 */
export function issueChallenge({ sites, tokens, ledger, limiter, clock, random }: Ports): IssueChallenge {
  return async (request, caller) => {
    await limiter.take('challenge', whoIs(caller, tokens))

    const site = sites.bySitekey(request.sitekey)
    if (!site) throw new Fault('invalid-input-sitekey')
    caller.note({ sitekey: site.sitekey })

    const origin = parseOrigin(caller.origin)
    if (!origin || !allowsHostname(site, origin.hostname)) throw new Fault('hostname-not-allowed')
    caller.note({ hostname: origin.hostname })

    if (!isAction(request.action)) throw new Fault('bad-request')
    if (!allowsAction(site, request.action)) throw new Fault('action-not-allowed')

    const now = clock.now()
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
      pow: { a: 's32.1', s: STEPS, n: unitsAtLevel(site.work.level) },
    }
    caller.note({ jti: claims.jti, action: claims.action, level: site.work.level })
    return { challenge: await tokens.sealChallenge(claims), work: claims.pow, expires_in: site.challengeLifetime }
  }
}
