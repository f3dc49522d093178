import type { ChallengeClaims } from '../claims/challenge.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { Tokens } from '../claims/tokens.ts'
import { Fault } from '../domain/codes.ts'
import type { Sites } from '../domain/ports.ts'
import { allowsAction, allowsHostname, type Site } from '../domain/site.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { SolveRequest } from '../wire.ts'
import { parseSolution, partDone } from '../work/solution.ts'
import type { Sample } from '../work/spell-solution.ts'
import type { Caller } from './caller.ts'
import type { Presented, SecondChance } from './second-chance.ts'

/** A solution whose challenge is ours, as far as no store is needed to tell. */
export interface OpenedSolution {
  readonly site: Site
  readonly claims: ChallengeClaims
  readonly samples: readonly Sample[]
  /** The share of the work that it claims, up to 1. */
  readonly done: number
  /** The ticket that the challenge was issued for; undefined if there was none. */
  readonly ticket: TicketClaims | undefined
}

interface Ports {
  readonly sites: Sites
  readonly tokens: Tokens
}

/** Returns a challenge as the log names it. */
export const notesOf = ({ sitekey, jti, hostname, action }: ChallengeClaims) => ({
  sitekey,
  jti,
  hostname,
  action,
})

/** challenge → site → page → solution → ticket. The function throws a `Fault` of 400 for what is wrong with one of them. */
export function openSolution({ sites, tokens }: Ports, chance: SecondChance) {
  return async (
    request: SolveRequest,
    caller: Caller,
    now: UnixSeconds,
  ): Promise<OpenedSolution> => {
    const claims = await tokens.openChallenge(request.challenge, now)
    if (claims === 'invalid') throw Fault.of('invalid-input-challenge')
    if (claims === 'expired') throw Fault.of('challenge-expired')
    caller.note(notesOf(claims))

    const site = sites.bySitekey(claims.sitekey)
    if (!site) throw Fault.of('invalid-input-challenge')
    if (caller.origin !== claims.origin || !isStillAllowed(site, claims))
      throw Fault.of('bad-request')

    const samples = parseSolution(request.solution, claims.pow.n)
    if (!samples) throw Fault.of('invalid-input-solution')
    const presented = { caller, now }
    const ticket = await openTicket(request, site, claims, presented)
    return { site, claims, samples, done: partDone(samples, claims.pow.n), ticket }
  }

  /** Opens the very ticket that the challenge was issued for, from the same address; undefined if it was issued for none. */
  async function openTicket(
    { ticket }: SolveRequest,
    site: Site,
    { hostname, action, step }: ChallengeClaims,
    presented: Presented,
  ): Promise<TicketClaims | undefined> {
    if (ticket === undefined && step === undefined) return undefined
    if (ticket === undefined || step === undefined) throw Fault.of('invalid-input-ticket')
    return chance.open(ticket, site, { hostname, action, jti: step }, presented)
  }
}

/** The site may have changed since: hostnames and actions that were removed get no token. */
const isStillAllowed = (site: Site, { hostname, action }: ChallengeClaims): boolean =>
  allowsHostname(site, hostname) && allowsAction(site, action)
