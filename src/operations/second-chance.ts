import { Fault } from '../domain/codes.ts'
import { RULES } from '../score/rules.ts'
import { carriedFrom, combine, type Decision, isDriven } from '../score/score.ts'
import type { SealedDecision } from '../claims/response.ts'
import { type Site, type StepUp, thresholdsOf } from '../domain/site.ts'
import type { VisitRule } from '../domain/site-rules/visit-rules.ts'
import { type FirstVisit, isSameAddress, type TicketClaims, ticketOf } from '../claims/ticket.ts'
import type { Action, AttemptId, Hostname, Jti, UnixSeconds } from '../domain/words.ts'
import type { Clock, Ledger, Limiter } from '../domain/stores.ts'
import type { Tokens } from '../claims/tokens.ts'
import { isHeld } from './attempt.ts'
import { type Caller, callerMark, whoIs } from './caller.ts'

interface Ports {
  readonly tokens: Tokens
  readonly ledger: Pick<Ledger, 'consume'>
  readonly limiter: Limiter
  readonly clock: Clock
}

/** What a ticket must be for, to count for a challenge or its solution. */
interface Bound {
  readonly hostname: Hostname
  readonly action: Action
  /** The ticket that the challenge was issued for; absent while no challenge was issued. */
  readonly jti?: Jti | undefined
}

/**
 * The second try after a low score: a signed ticket, stronger work, one more visit. `managed` and `ticket` differ only in who is
 * offered the ticket: the widget, in place of a token, or the customer's server, beside the verdict.
 *
 * - A ticket holds the first decision, sealed: evidence against the first visit counts in the second one.
 * - It is bound to site, hostname, action and address, and consumed once, by the first solution whose work is right.
 * - It is priced: each address has a few second tries an hour, and the work is the most that the site asks for. A try counts
 *   once its work was found right, so that nobody uses up those of an address without it.
 *
 * @see docs/widget/refused.md
 */
export function secondChance({ tokens, ledger, limiter, clock }: Ports) {
  return {
    /**
     * Makes the ticket of a second try, where the address has room for one.
     *
     * @param to who asks: the widget (`managed`) gets one only where more evidence could help; the customer's server
     *   (`ticket`) for every low score, so that the ticket tells nobody why.
     * @returns undefined where the site gives none in this way, for a second visit, or where no room is left or known.
     */
    async offer(to: StepUp, site: Site, visit: FirstVisit, caller: Pick<Caller, 'note'>): Promise<string | undefined> {
      const { decision, address } = visit.sealed
      if (site.stepUp !== to || decision.stepped || passes(site, visit.action, decision)) return undefined
      if (to === 'managed' && !couldPass(site, visit.action, decision)) return undefined
      try {
        if (countsAsTry(site, decision)) await limiter.check('ticket', whoIs(address), site.sitekey)
      } catch (error) {
        if (error instanceof Fault) return undefined
        throw error
      }
      caller.note({ step_up: 'asked' })
      const sealed = { ...visit.sealed, decision: toSeal(decision) }
      return tokens.signTicket(ticketOf({ ...visit, sealed }, clock.now()))
    },

    /** Opens a ticket of this site, page, action and address, while the site gives second tries. @throws {Fault} */
    async open(ticket: string, site: Site, bound: Bound, caller: Caller, now: UnixSeconds): Promise<TicketClaims> {
      const claims = await tokens.openTicket(ticket, site.sitekey, now)
      if (claims === 'expired') throw new Fault('ticket-expired')
      if (claims === 'invalid' || site.stepUp === 'off') throw new Fault('invalid-input-ticket')
      const { hostname, action, jti = claims.jti } = bound
      const isBound = claims.hostname === hostname && claims.action === action && claims.jti === jti
      if (!isBound || !isSameAddress(claims, callerMark(caller, tokens, claims.kid)))
        throw new Fault('invalid-input-ticket')
      return claims
    },

    /** @throws {Fault} `ticket-expired` where another solution has used it, or its ledger's entries may be missing. */
    async consume(ticket: TicketClaims, attempt: AttemptId): Promise<void> {
      const { jti, generation, expiresAt, keepUntil } = ticket
      const consumption = await ledger.consume({ kind: 'ticket', jti, generation, attempt, expiresAt, keepUntil })
      if (!isHeld(consumption)) throw new Fault('ticket-expired')
    },
  }
}

export type SecondChance = ReturnType<typeof secondChance>

/** Reports whether a decision lets a visit for an action pass at its site. */
export const passes = (site: Site, action: Action, { score, rule }: Pick<Decision, 'score' | 'rule'>): boolean =>
  rule?.effect.kind !== 'deny' && score >= thresholdsOf(site, action).scoreThreshold

/**
 * Reports whether a second try counts. Where the widget offers it and nothing speaks against the visit, whoever can press may,
 * and others behind the address use up nobody's.
 */
export const countsAsTry = ({ stepUp }: Site, { contributions }: SealedDecision): boolean =>
  stepUp !== 'managed' || contributions.some(({ value }) => value < 0)

/** Contributions for which a token has room. */
const MOST_SEALED = 7

/** Keeps what speaks against the visit, strongest first; what a second visit inherits comes before the rest. */
export function toSeal(decision: SealedDecision): SealedDecision {
  const { score, rule, stepped } = decision
  const carried = carriedFrom(decision)
  const others = decision.contributions.filter((each) => each.value < 0 && !carried.includes(each))
  return { score, rule, contributions: [...carried, ...others].slice(0, MOST_SEALED), ...(stepped && { stepped }) }
}

/** Evidence that a step brings: the press of its button, and the step itself. */
const BROUGHT = RULES.filter(({ name }) => name === 'trusted-input' || name === 'stepped-up').map(({ id }) => id)

/**
 * Reports whether a step could lift a visit to the threshold: with everything that is judged anew judged in its favour, and
 * the step confirmed.
 */
function couldPass(site: Site, action: Action, first: SealedDecision): boolean {
  const { weights } = site
  if (isDriven(first.contributions, weights)) return false
  const best = new Map(carriedFrom(first).map(({ id, value }) => [id, value]))
  for (const { id, value } of first.contributions) if (value > 0) best.set(id, value)
  for (const id of BROUGHT) best.set(id, weights.of.get(id)!)
  const contributions = [...best].map(([id, value]) => ({ id, value }))
  return passes(site, action, { rule: first.rule, score: combine(contributions, weights, first.rule?.effect).score })
}

/**
 * Returns the rule that counts in a second visit: the one that matches now, or that of the first visit where that one was
 * harsher and is still in the file. A denied visitor cannot step around it with another browser or network.
 */
export function harsher({ rules }: Site, current: VisitRule | undefined, first: SealedDecision): VisitRule | undefined {
  const before = rules.find(({ id }) => id === first.rule?.id)
  return before && weightOf(before) < Math.min(0, weightOf(current)) ? before : current
}

/** The part of a score that a rule adds, in log-odds; 0 where it lets the visit in. */
function weightOf(rule: VisitRule | undefined): number {
  if (rule?.effect.kind === 'deny') return -Infinity
  return rule?.effect.kind === 'adjust' ? rule.effect.score : 0
}
