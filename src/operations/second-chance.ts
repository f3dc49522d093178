import { Fault } from '../domain/codes.ts'
import { RULES } from '../score/rules.ts'
import { carriedFrom, combine, type Decision, isDriven } from '../score/score.ts'
import type { SealedDecision } from '../claims/response.ts'
import { type Site, type StepUp, thresholdsOf } from '../domain/site.ts'
import type { VisitRule } from '../domain/site-rules/visit-rules.ts'
import { type FirstVisit, isSameAddress, type TicketClaims, ticketOf } from '../claims/ticket.ts'
import type { Action, AttemptId, Hostname, Jti, UnixSeconds } from '../domain/words.ts'
import type { Clock, Ledger, Limiter } from '../domain/ports.ts'
import type { Tokens } from '../claims/tokens.ts'
import { isHeld } from './attempt.ts'
import { type Caller, callerHash, whoIs } from './caller.ts'

interface Ports {
  readonly tokens: Tokens
  readonly ledger: Pick<Ledger, 'consume'>
  readonly limiter: Limiter
  readonly clock: Clock
}

/** What a ticket must be bound to, for a challenge or its solution. */
interface Bound {
  readonly hostname: Hostname
  readonly action: Action
  /** Id of the ticket that the challenge was issued for; absent before it is issued. */
  readonly jti?: Jti | undefined
}

/** The caller who presents a ticket, and the time. */
export interface Presented {
  readonly caller: Caller
  readonly now: UnixSeconds
}

/**
 * The second try after a low score: a signed ticket, more work, one more visit. `managed` and `ticket` differ only in who is
 * offered the ticket: the widget instead of a token, or the customer's server with the verdict.
 *
 * - A ticket contains the first decision, sealed: evidence against the first visit also counts in the second.
 * - It is bound to site, hostname, action and address, and is consumed by the first solution whose work is right.
 * - It has a price: each address has a few second tries an hour, and the work is the site's maximum. A try counts only once its
 *   work is checked, so that tries of an address cannot be used up without work.
 *
 * @see docs/widget/refused.md
 */
export function secondChance({ tokens, ledger, limiter, clock }: Ports) {
  return {
    /**
     * Makes the ticket of a second try, if the address has one left.
     *
     * @param to the widget (`managed`), which gets a ticket only if more evidence could help, or the customer's server
     *   (`ticket`), which gets one for every low score, so that the ticket does not reveal the reason.
     * @returns undefined if the site does not offer tries in this way, for a second visit, or if none is left or the store fails.
     */
    async offer(
      to: StepUp,
      site: Site,
      visit: FirstVisit,
      caller: Pick<Caller, 'note'>,
    ): Promise<string | undefined> {
      const { decision, address } = visit.sealed
      if (site.stepUp !== to || decision.stepped || reachesThreshold(site, visit.action, decision))
        return undefined
      if (to === 'managed' && !couldPass(site, visit.action, decision)) return undefined
      try {
        if (countsAsTry(site, decision)) await limiter.check('ticket', whoIs(address), site.sitekey)
      } catch (error) {
        if (error instanceof Fault) return undefined
        throw error
      }
      caller.note({ step_up: 'asked' })
      const sealed = { ...visit.sealed, decision: toSeal(decision) }
      return await tokens.signTicket(ticketOf({ ...visit, sealed }, clock.now()))
    },

    /** Opens a ticket of this site, page, action and address. @throws {Fault} also if the site has turned second tries off. */
    async open(
      ticket: string,
      site: Site,
      bound: Bound,
      { caller, now }: Presented,
    ): Promise<TicketClaims> {
      const claims = await tokens.openTicket(ticket, site.sitekey, now)
      if (claims === 'expired') throw Fault.of('ticket-expired')
      if (claims === 'invalid' || site.stepUp === 'off') throw Fault.of('invalid-input-ticket')
      const { hostname, action, jti = claims.jti } = bound
      const isBound = claims.hostname === hostname && claims.action === action && claims.jti === jti
      if (!isBound || !isSameAddress(claims, callerHash(caller, tokens, claims.kid)))
        throw Fault.of('invalid-input-ticket')
      return claims
    },

    /** @throws {Fault} `ticket-expired` if another solution has used it, or entries of its ledger may be missing. */
    async consume(ticket: TicketClaims, attempt: AttemptId): Promise<void> {
      const { jti, generation, expiresAt, keepUntil } = ticket
      const consumption = await ledger.consume({
        kind: 'ticket',
        jti,
        generation,
        attempt,
        expiresAt,
        keepUntil,
      })
      if (!isHeld(consumption)) throw Fault.of('ticket-expired')
    },
  }
}

export type SecondChance = ReturnType<typeof secondChance>

/** Reports whether a decision reaches the site's threshold for the action. */
export const reachesThreshold = (
  site: Site,
  action: Action,
  { score, rule }: Pick<Decision, 'score' | 'rule'>,
): boolean => rule?.effect.kind !== 'deny' && score >= thresholdsOf(site, action).scoreThreshold

/**
 * Reports whether a second try counts. It does not if the widget offers it and there is no evidence against the visit, so that
 * visitors behind one address do not use up each other's tries.
 */
export const countsAsTry = ({ stepUp }: Site, { contributions }: SealedDecision): boolean =>
  stepUp !== 'managed' || contributions.some(({ value }) => value < 0)

/** Number of contributions that fit into a token. */
const MOST_SEALED = 7

/** Keeps the evidence against the visit, strongest first; what a second visit inherits comes before the rest. */
export function toSeal(decision: SealedDecision): SealedDecision {
  const { score, rule, stepped } = decision
  const carried = carriedFrom(decision)
  const others = decision.contributions.filter((each) => each.value < 0 && !carried.includes(each))
  return {
    score,
    rule,
    contributions: [...carried, ...others].slice(0, MOST_SEALED),
    ...(stepped && { stepped }),
  }
}

const BROUGHT_BY_STEP = RULES.filter(({ broughtByStep }) => broughtByStep).map(({ id }) => id)

/**
 * Reports whether a step could lift a visit to the threshold, if it is confirmed and everything that is judged again is judged in
 * the visitor's favour.
 */
function couldPass(site: Site, action: Action, first: SealedDecision): boolean {
  const { weights } = site
  if (isDriven(first.contributions, weights)) return false
  const best = new Map(carriedFrom(first).map(({ id, value }) => [id, value]))
  for (const { id, value } of first.contributions) if (value > 0) best.set(id, value)
  for (const id of BROUGHT_BY_STEP) best.set(id, weights.byRule.get(id)!)
  const contributions = [...best].map(([id, value]) => ({ id, value }))
  return reachesThreshold(site, action, {
    rule: first.rule,
    score: combine(contributions, weights, first.rule?.effect).score,
  })
}

/**
 * Returns the rule that counts in a second visit: the one that matches now, or that of the first visit if it is harsher and
 * still configured, so that a denied visitor cannot escape it with another browser or network.
 */
export function harsher(
  { rules }: Site,
  current: VisitRule | undefined,
  first: SealedDecision,
): VisitRule | undefined {
  const before = rules.find(({ id }) => id === first.rule?.id)
  return before && weightOf(before) < Math.min(0, weightOf(current)) ? before : current
}

/** Returns what a rule adds to a score, in log-odds; 0 if it allows the visit. */
function weightOf(rule: VisitRule | undefined): number {
  if (rule?.effect.kind === 'deny') return -Infinity
  return rule?.effect.kind === 'adjust' ? rule.effect.score : 0
}
