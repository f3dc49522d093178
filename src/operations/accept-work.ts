import { LEDGER_MARGIN } from '../claims/challenge.ts'
import type { Tokens } from '../claims/tokens.ts'
import type { AddressHash } from '../domain/address-hash.ts'
import { Fault } from '../domain/codes.ts'
import type { Neighbourhood } from '../domain/work-done.ts'
import type { Agents, ExtraBudget, History, Ledger, Limiter, Sites } from '../domain/ports.ts'
import { later, type UnixSeconds } from '../domain/words.ts'
import type { SolveRequest } from '../wire.ts'
import { unitsOf } from '../work/pow.ts'
import { pickPositions } from '../work/solution.ts'
import { isHeld } from './attempt.ts'
import { type Caller, callerHash, siteActionOf, whoIs } from './caller.ts'
import { workCheck } from './check-work.ts'
import { type Holder, holders } from './holders.ts'
import { notesOf, type OpenedSolution, openSolution } from './open-solution.ts'
import { countsAsTry, type SecondChance } from './second-chance.ts'
import { type SolveAttempt, solveAttempt } from './solve-attempt.ts'
import { visitCost } from './visit-cost.ts'

/** What the acceptance of work needs. */
export interface WorkPorts {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly ledger: Pick<Ledger, 'consume'>
  readonly limiter: Limiter
  readonly history: History
  /** If omitted: none are configured. */
  readonly agents?: Agents | undefined
}

/** A solution on its way through the steps. */
interface Solution extends OpenedSolution, SolveAttempt {
  readonly request: SolveRequest
  readonly now: UnixSeconds
  /** Whether the caller was already charged for a repeat. */
  readonly wasCharged: boolean
}

/** A visit whose work was found right and whose budgets had room. */
export interface AcceptedWork extends OpenedSolution, SolveAttempt {
  readonly past: Neighbourhood
  /** Whether the same body was accepted before. */
  readonly isRepeat: boolean
}

/** A challenge that was looked at before its request was parsed, and whether its caller was charged for a repeat. */
export type Seen = Readonly<{ challenge: string; wasCharged: boolean }>

/**
 * open → same page → parse → consume → check the work → charge the visit → count it, consume the ticket.
 *
 * The challenge is consumed by the first body, before its work is looked at: a wrong solution burns it. The attempt is the
 * body, the address and everything else that is judged, so that signals, headers and addresses cannot be varied until they score.
 * A repeat gets the same answer, and is charged to its sender as junk: a visit is charged once, as soon as its budgets have
 * room for it, and counted in history by the call that charged it.
 *
 * What this process remembers of a challenge only refuses: a repeat from another address is not even parsed.
 */
export function acceptWork(ports: WorkPorts, chance: SecondChance) {
  const { tokens, ledger, limiter, history } = ports
  const open = openSolution(ports, chance)
  const checkWork = workCheck()
  const held = holders()

  /** Charges a repeat, by the text of its challenge alone, and refuses that of another address. @throws {Fault} */
  async function refuseRepeat(challenge: string, caller: Caller, now: UnixSeconds): Promise<Seen> {
    const holder = held.find(challenge, now)
    if (!holder) return { challenge, wasCharged: false }
    caller.note(notesOf(holder.claims))
    const address = callerHash(caller, tokens, holder.claims.kid, holder.solved)
    const isOther = address !== holder.solved
    const wasCharged = isOther || holder.isSettled
    if (wasCharged) await chargeInvalid(address)
    if (isOther) throw Fault.of('challenge-expired')
    return { challenge, wasCharged }
  }

  /** @param seen what `refuseRepeat` has found; if omitted, it is called first. */
  async function accept(
    request: SolveRequest,
    caller: Caller,
    now: UnixSeconds,
    seen?: Seen,
  ): Promise<AcceptedWork> {
    const { challenge, wasCharged } = seen ?? (await refuseRepeat(request.challenge, caller, now))
    const opened = await openOrCharge(challenge, request, caller, now)
    const attempt = solveAttempt(ports, request, opened.claims, { caller, now })
    const solution = { ...opened, ...attempt, request, now, wasCharged }

    await consume(solution)
    const holder = held.remember(challenge, opened.claims, attempt.solved)
    await check(solution, holder)
    const charged = await charge(solution)
    holder.isSettled = true
    if (charged === 'again') await chargeRepeat(solution)
    const [past] = await Promise.all([
      count(solution, charged),
      opened.ticket && chance.consume(opened.ticket, attempt.attempt),
    ])
    return { ...opened, ...attempt, past, isRepeat: charged === 'again' }
  }

  /** A solution that is refused costs its sender, unless its challenge has only expired. */
  async function openOrCharge(
    challenge: string,
    request: SolveRequest,
    caller: Caller,
    now: UnixSeconds,
  ): Promise<OpenedSolution> {
    try {
      // A challenge that is not spelled as it was issued would not be recognised when it is repeated.
      if (challenge !== request.challenge) throw Fault.of('invalid-input-challenge')
      return await open(request, caller, now)
    } catch (refusal) {
      const isExpired = refusal instanceof Fault && refusal.code === 'challenge-expired'
      if (!isExpired) await chargeInvalid(callerHash(caller, tokens))
      throw refusal
    }
  }

  /** @throws {Fault} `challenge-expired` if another attempt holds the challenge, or the holder may be lost. */
  async function consume(solution: Solution): Promise<void> {
    const { jti, generation, expiresAt } = solution.claims
    const { attempt } = solution
    const keepUntil = keptUntil(solution)
    const entry = { jti, generation, attempt, expiresAt, keepUntil }
    const consumption = await ledger.consume({ kind: 'challenge', ...entry })
    if (consumption === 'taken') await chargeRepeat(solution)
    if (!isHeld(consumption)) throw Fault.of('challenge-expired')
  }

  /** @throws {Fault} `invalid-input-solution` if the work is wrong, or was handed in before its time was over. */
  async function check(solution: Solution, holder: Holder): Promise<void> {
    const { claims, samples, attempt, done, now, request } = solution
    const { pow, jti, kid } = claims
    // Our widget never hands in a part before its time is over. Our clock counts whole seconds.
    const isEarly = done < 1 && (now - claims.issuedAt + 1) * 1000 < pow.b
    const seed = tokens.derive('positions', `${jti}.${attempt}`, kid)
    const positions = pickPositions(seed, samples.length)
    const { challenge } = request
    if (!isEarly && (await checkWork({ attempt, challenge, pow, samples, positions }))) return
    await chargeRepeat(solution)
    holder.isSettled = true
    throw Fault.of('invalid-input-solution')
  }

  /** Charges the visit once, however often its body is sent. @throws {Fault} if one of its budgets has no room. */
  async function charge(solution: Solution): Promise<'first' | 'again'> {
    const charged = await limiter.visit(whoIs(solution.address), {
      jti: solution.claims.jti,
      sitekey: solution.site.sitekey,
      until: keptUntil(solution),
      cost: visitCost(solution.request.signals, solution.distance, solution.done),
      extraBudgets: extraBudgetsOf(solution),
    })
    // Whatever a limiter answers that breaks its promise lets no visit through.
    if (!isHeld(charged))
      throw new TypeError('expected the limiter to report whether the visit was charged')
    return charged
  }

  /** Counts the visit in history, if this call charged it, and returns the work done around its address. */
  function count(solution: Solution, charged: 'first' | 'again'): Promise<Neighbourhood> {
    const { address, site, claims, done, now } = solution
    if (charged === 'again') return history.near(address, now)
    const { pow } = claims
    const visit = {
      siteAction: siteActionOf(site, claims.action),
      units: unitsOf({ ...pow, n: Math.round(pow.n * done) }),
      partOf: done < 1 ? unitsOf(pow) : 0,
    }
    return history.solved(address, visit, now)
  }

  /** Charges the caller for a solution that brings nothing, unless `refuseRepeat` has. */
  async function chargeRepeat({ address, wasCharged }: Solution): Promise<void> {
    if (!wasCharged) await chargeInvalid(address)
  }

  /** Charges the caller's own address alone. */
  function chargeInvalid(address: AddressHash | undefined): Promise<void> {
    return limiter.take('invalidSolution', whoIs(address))
  }

  return { accept, refuseRepeat }
}

/** Returns until when the ledger keeps the entry of a challenge. */
const keptUntil = ({ claims }: Solution): UnixSeconds => later(claims.expiresAt, LEDGER_MARGIN)

/** Returns the budgets of which a visit takes a point as well. */
function extraBudgetsOf({ site, claims, ticket }: Solution): ExtraBudget[] {
  const isTry = ticket !== undefined && countsAsTry(site, ticket.sealed.decision)
  return [
    ...(isTry ? (['ticket'] as const) : []),
    ...(claims.pow.a === 'pb.1' ? (['fallback'] as const) : []),
  ]
}
