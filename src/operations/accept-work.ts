import { type ChallengeClaims, LEDGER_MARGIN } from '../claims/challenge.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { Tokens } from '../claims/tokens.ts'
import { type AddressMark, type Distance, distanceOf } from '../domain/address-mark.ts'
import { Fault } from '../domain/codes.ts'
import type { Neighbourhood } from '../domain/work-done.ts'
import { allowsAction, allowsHostname, type Site } from '../domain/site.ts'
import type { Agents, History, Ledger, Limiter, Sites } from '../domain/ports.ts'
import { later, type UnixSeconds } from '../domain/words.ts'
import type { RequestFacts } from '../score/signals.ts'
import type { SolveRequest, WireSignals } from '../wire.ts'
import { unitsOf } from '../work/pow.ts'
import { parseSolution, partDone, pickPositions } from '../work/solution.ts'
import type { Sample } from '../work/spell-solution.ts'
import { attemptOf, isHeld } from './attempt.ts'
import { agentOf, type Caller, callerMark, siteActionOf, whoIs } from './caller.ts'
import { workCheck } from './check-work.ts'
import { countsAsTry, type SecondChance } from './second-chance.ts'

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

/** A solution whose challenge is ours, as far as no store is needed to tell. */
interface Opened {
  readonly site: Site
  readonly claims: ChallengeClaims
  readonly samples: readonly Sample[]
  /** The share of the work that it claims, up to 1. */
  readonly done: number
  /** Where the challenge was issued for one. */
  readonly ticket: TicketClaims | undefined
}

/** A visit whose work was found right and whose budgets had room. */
export interface AcceptedWork extends Opened {
  readonly mark: AddressMark | undefined
  readonly distance: Distance
  readonly facts: RequestFacts
  /** The agent that asked for the challenge and solves it, by its name. */
  readonly agent: string | undefined
  readonly past: Neighbourhood
  /** Whether the same body was accepted before. */
  readonly isRepeat: boolean
}

/** The attempt that holds a challenge, as far as this process has seen it. */
interface Holder {
  readonly claims: ChallengeClaims
  /** Of its address, with the key of the challenge. */
  readonly solved: AddressMark | undefined
  /** Whether its visit was charged, or its work is wrong. */
  isSettled: boolean
}

/** Challenges whose holder is remembered; some 1 kB each. */
const REMEMBERED = 4096

/** A challenge that was looked at before its request was parsed, and whether its caller was charged for a repeat. */
export type Seen = Readonly<{ challenge: string; wasCharged: boolean }>

/** Cost of a visit, in halves of a visit. */
const VISIT = 2
/** Extra cost of a visit that shows little. It depends on the input shown, not on the score. */
const LITTLE_SHOWN = 1
/** Extra cost of a solution from another address than its challenge's, so that a relay saves nothing. */
const RELAYED = 2
/** Extra cost of a part of the work, so that saving work takes up twice the room. */
const IN_PART = 2
/** Input events of a visit that shows enough: a few keys or one movement of a pointer. */
const ENOUGH_EVENTS = 6

/** Names a challenge by its signature, in a copy: a slice would keep the whole body in memory. */
const nameOf = (challenge: string): string =>
  Buffer.from(challenge.slice(-43), 'latin1').toString('latin1')

/** A challenge as the log names it. */
const named = ({ sitekey, jti, hostname, action }: ChallengeClaims) => ({
  sitekey,
  jti,
  hostname,
  action,
})

const showsLittle = ({ input, page }: WireSignals): boolean =>
  (input?.trusted ?? 0) < ENOUGH_EVENTS || page?.visible !== 1

const costOf = (signals: WireSignals, distance: Distance, done: number): number =>
  VISIT +
  (showsLittle(signals) ? LITTLE_SHOWN : 0) +
  (distance === 'elsewhere' ? RELAYED : 0) +
  (done < 1 ? IN_PART : 0)

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
export function acceptWork(
  { sites, tokens, ledger, limiter, history, agents }: WorkPorts,
  chance: SecondChance,
) {
  const checkWork = workCheck()
  const holders = new Map<string, Holder>()

  /** Charges a repeat, by the text of its challenge alone, and refuses that of another address. @throws {Fault} */
  async function refuseRepeat(challenge: string, caller: Caller, now: UnixSeconds): Promise<Seen> {
    const holder = holders.get(nameOf(challenge))
    if (!holder || now >= holder.claims.expiresAt) return { challenge, wasCharged: false }
    caller.note(named(holder.claims))
    const mark = callerMark(caller, tokens, holder.claims.kid, holder.solved)
    const isOther = mark !== holder.solved
    const wasCharged = isOther || holder.isSettled
    if (wasCharged) await takeJunk(mark)
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
    let opened: Opened
    try {
      // Not spelled as it was issued: a repeat of it would not be known.
      if (challenge !== request.challenge) throw Fault.of('invalid-input-challenge')
      opened = await open(request, caller, now)
    } catch (refusal) {
      if (!(refusal instanceof Fault && refusal.code === 'challenge-expired'))
        await takeJunk(callerMark(caller, tokens))
      throw refusal
    }
    const { site, claims, samples, done, ticket } = opened
    const { jti, generation, expiresAt, pow } = claims
    const { mark, solved, distance, facts, agent, attempt } = identify(request, caller, claims, now)
    const keepUntil = later(expiresAt, LEDGER_MARGIN)
    const consumption = await ledger.consume({
      kind: 'challenge',
      jti,
      generation,
      attempt,
      expiresAt,
      keepUntil,
    })
    if (consumption === 'taken' && !wasCharged) await takeJunk(mark)
    if (!isHeld(consumption)) throw Fault.of('challenge-expired')
    const holder = remember(nameOf(challenge), { claims, solved, isSettled: false })

    // Our widget never hands in a part before its time is over. Our clock counts whole seconds.
    const isEarly = done < 1 && (now - claims.issuedAt + 1) * 1000 < pow.b
    const positions = pickPositions(
      tokens.derive('positions', `${jti}.${attempt}`, claims.kid),
      samples.length,
    )
    if (isEarly || !(await checkWork(attempt, challenge, pow, samples, positions))) {
      if (!wasCharged) await takeJunk(mark)
      holder.isSettled = true
      throw Fault.of('invalid-input-solution')
    }

    const halves = costOf(request.signals, distance, done)
    const isTry = ticket !== undefined && countsAsTry(site, ticket.sealed.decision)
    const besides = (['ticket', 'fallback'] as const).filter((of) =>
      of === 'ticket' ? isTry : pow.a === 'pb.1',
    )
    const charged = await limiter.visit(whoIs(mark), {
      jti,
      sitekey: site.sitekey,
      until: keepUntil,
      halves,
      besides,
    })
    if (!isHeld(charged))
      throw new TypeError('expected the limiter to report whether the visit was charged')
    holder.isSettled = true
    if (charged === 'again' && !wasCharged) await takeJunk(mark)
    const units = unitsOf({ ...pow, n: Math.round(pow.n * done) })
    const visit = {
      siteAction: siteActionOf(site, claims.action),
      units,
      partOf: done < 1 ? unitsOf(pow) : 0,
    }
    const [past] = await Promise.all([
      charged === 'first' ? history.solved(mark, visit, now) : history.near(mark, now),
      ticket && chance.consume(ticket, attempt),
    ])
    return { ...opened, mark, distance, facts, agent, past, isRepeat: charged === 'again' }
  }

  /** Charges the caller's own address alone. */
  function takeJunk(mark: AddressMark | undefined): Promise<void> {
    return limiter.take('solve', whoIs(mark))
  }

  /** Of two calls at once with the same attempt, the second finds what the first has remembered. */
  function remember(name: string, made: Holder): Holder {
    const holder = holders.get(name) ?? made
    if (holders.size >= REMEMBERED) holders.delete(holders.keys().next().value!)
    holders.set(name, holder)
    return holder
  }

  /** Names the attempt, by everything that is judged. */
  function identify(
    request: SolveRequest,
    caller: Caller,
    claims: ChallengeClaims,
    now: UnixSeconds,
  ) {
    const mark = callerMark(caller, tokens, undefined, claims.address)
    // Marks made with two keys always differ: the address is marked again only where these do.
    const solved = claims.address === mark ? mark : callerMark(caller, tokens, claims.kid)
    const facts = caller.facts()
    const agent = namedTwice(claims, caller, now)
    const { challenge, solution, signals, step_up: stepUp, ticket } = request
    const attempt = attemptOf(
      JSON.stringify([challenge, solution, signals, stepUp, ticket, solved, facts, agent]),
    )
    return { mark, solved, distance: distanceOf(claims.address, solved), facts, agent, attempt }
  }

  /** The function throws a `Fault` of 400 for what is not ours, not of its page, or cannot be read. */
  async function open(request: SolveRequest, caller: Caller, now: UnixSeconds): Promise<Opened> {
    const claims = await tokens.openChallenge(request.challenge, now)
    if (claims === 'invalid') throw Fault.of('invalid-input-challenge')
    if (claims === 'expired') throw Fault.of('challenge-expired')
    const { sitekey, hostname, action, step } = claims
    caller.note(named(claims))

    const site = sites.bySitekey(sitekey)
    if (!site) throw Fault.of('invalid-input-challenge')
    // The site may have changed since: removed hostnames and actions get no token.
    const isPlace = allowsHostname(site, hostname) && allowsAction(site, action)
    if (caller.origin !== claims.origin || !isPlace) throw Fault.of('bad-request')

    const samples = parseSolution(request.solution, claims.pow.n)
    if (!samples) throw Fault.of('invalid-input-solution')
    const opened = { site, claims, samples, done: partDone(samples, claims.pow.n) }
    if (request.ticket === undefined && step === undefined) return { ...opened, ticket: undefined }
    // The very ticket that the challenge was issued for, from the same address.
    if (request.ticket === undefined || step === undefined) throw Fault.of('invalid-input-ticket')
    const bound = { hostname, action, jti: step }
    return { ...opened, ticket: await chance.open(request.ticket, site, bound, caller, now) }
  }

  /** Both requests have to name the agent, so that a challenge that a signed browser obtained is worth nothing to another. */
  function namedTwice(
    { namedAgent }: ChallengeClaims,
    caller: Caller,
    now: UnixSeconds,
  ): string | undefined {
    const { name } = agentOf(agents, caller, now)
    if (name === undefined || name !== namedAgent) return undefined
    caller.note({ agent: name })
    return name
  }

  return { accept, refuseRepeat }
}
