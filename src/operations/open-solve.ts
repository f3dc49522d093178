import type { ChallengeClaims } from '../claims/challenge.ts'
import { Fault } from '../domain/codes.ts'
import { allowsAction, allowsHostname, type Site } from '../domain/site.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { parseSolution } from '../work/solution.ts'
import type { Sample } from '../work/spell-solution.ts'
import type { Sites } from '../domain/stores.ts'
import type { Tokens } from '../claims/tokens.ts'
import type { SolveRequest } from '../wire.ts'
import type { Caller } from './caller.ts'
import type { SecondChance } from './second-chance.ts'

/** A solution whose challenge is ours, as far as nobody has to be asked. */
export interface OpenedSolve {
  readonly site: Site
  readonly claims: ChallengeClaims
  readonly samples: readonly Sample[]
  /** Where the challenge was issued for one. */
  readonly ticket: TicketClaims | undefined
}

/** open → same page → parse. The function throws a `Fault` of 400 for what is not ours, not of its page, or cannot be read. */
export function openSolve({ sites, tokens }: { readonly sites: Sites; readonly tokens: Tokens }, chance: SecondChance) {
  return async (request: SolveRequest, caller: Caller, now: UnixSeconds): Promise<OpenedSolve> => {
    const claims = await tokens.openChallenge(request.challenge, now)
    if (claims === 'invalid') throw new Fault('invalid-input-challenge')
    if (claims === 'expired') throw new Fault('challenge-expired')
    caller.note({ sitekey: claims.sitekey, jti: claims.jti, hostname: claims.hostname, action: claims.action })

    const site = sites.bySitekey(claims.sitekey)
    if (!site) throw new Fault('invalid-input-challenge')
    // The site may have changed since: removed hostnames and actions get no token.
    const isPlace = allowsHostname(site, claims.hostname) && allowsAction(site, claims.action)
    if (caller.origin !== claims.origin || !isPlace) throw new Fault('bad-request')

    const samples = parseSolution(request.solution, claims.pow.n)
    if (!samples) throw new Fault('invalid-input-solution')
    return { site, claims, samples, ticket: await openTicket(site, claims, request, caller, now) }
  }

  /** The very ticket that the challenge was issued for, from the same address. @throws {Fault} */
  async function openTicket(
    site: Site,
    { step, hostname, action }: ChallengeClaims,
    { ticket }: SolveRequest,
    caller: Caller,
    now: UnixSeconds,
  ): Promise<TicketClaims | undefined> {
    if (ticket === undefined && step === undefined) return undefined
    if (ticket === undefined || step === undefined) throw new Fault('invalid-input-ticket')
    return chance.open(ticket, site, { hostname, action, jti: step }, caller, now)
  }
}
