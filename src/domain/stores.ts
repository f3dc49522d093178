/** The interfaces of everything with a memory: sites, ledger, limiter, history, networks; and the two sources, clock and random. */
import type { Fault } from './codes.ts'
import type { Neighbourhood, SiteLoad } from './history.ts'
import type { AgentFacts, SignedRequest } from './named-agent.ts'
import type { NetworkFacts } from './network.ts'
import type { Site } from './site.ts'
import type { Action, AttemptId, Generation, Jti, Sitekey, UnixSeconds } from './words.ts'

export interface Clock {
  /** Unix seconds, whole. Read once per request. */
  now(): UnixSeconds
}

export interface Random {
  /** 128 random bits, base64url, 22 characters. */
  id(): string
}

/** The sites of the configuration in force. One lookup gives one frozen policy, never a mixture of two. */
export interface Sites {
  bySitekey(sitekey: string): Site | undefined
  /** Compared by hash, in constant time; no I/O. A secret past its end finds nothing. */
  bySecret(secret: string, now: UnixSeconds): Site | undefined
}

/** The id to consume, the attempt that consumes it, and how long it must be remembered. */
export interface Consumable {
  readonly kind: 'challenge' | 'response' | 'ticket' | 'pass'
  readonly jti: Jti
  /** The ledger history the challenge was issued in. */
  readonly generation: Generation
  /** The same attempt again is recognised as its own; any other is not. */
  readonly attempt: AttemptId
  readonly expiresAt: UnixSeconds
  /** The ledger finds the entry by id, kind and this: all tokens of which one may be accepted share it. */
  readonly keepUntil: UnixSeconds
}

/**
 * `first`: this attempt holds the entry from now on. `again`: it has held it since an earlier call, whose answer may have
 * been lost. `taken`: another attempt holds it. `stale`: another generation; entries may be missing, so no attempt gets it.
 * `expired`: by the ledger's clock.
 */
export type Consumption = 'first' | 'again' | 'taken' | 'stale' | 'expired'

/**
 * Remembers consumed tokens until they would have expired anyway.
 *
 * One method on purpose: asking and marking are one step, so two callers holding
 * the same token are never both first, in one process or in ten.
 */
export interface Ledger {
  /**
   * Answers within 500 ms.
   * @throws {Fault} `database-unavailable` or `database-schema-outdated`, whenever the outcome cannot be known.
   */
  consume(entry: Consumable): Promise<Consumption>
  /**
   * The generation to stamp into a new challenge of this id: each partition of the ledger has its own.
   * @throws {Fault} when what we know is older than 1.5 s, or the schema is not ours.
   */
  generation(jti: Jti): Generation
  /**
   * When the generation in force for this id began, by the ledger's clock; undefined: it is not known. It is known for the
   * generation that `generation` tells, so a caller who asks for both and consumes with them cannot mix two.
   */
  beganAt(jti: Jti): UnixSeconds | undefined
  /** The fault that keeps all of the ledger from being used, as far as is known already; undefined: at least a part works. */
  fault(): Fault | undefined
  /** Share of the store's memory in use, 0 to 1, as far as it is known already; 0 where it has no bound. */
  fullness(): number
  /** Seconds by which the clock of this process is ahead of the store's, as far as it is known; negative: behind. */
  clockAhead(): number
  /**
   * Asks the store now.
   * @throws {Fault} as `consume`.
   */
  probe(): Promise<void>
  close(): Promise<void>
}

/** Facts of local files about an address. */
export interface Networks {
  /** In memory, in microseconds; nothing known where there are no files, or no address. */
  of(address: string | undefined): NetworkFacts
}

/** The agents of the configuration. */
export interface Agents {
  /**
   * Names the agent that a request comes from, by its signature or its address. In memory; a signature takes 0.1 ms.
   */
  of(request: SignedVisit, now: UnixSeconds): AgentFacts
}

export interface SignedVisit {
  /** undefined: the request carries no signature. Called only where agents with keys are configured. */
  readonly signed: () => SignedRequest | undefined
  readonly address: string | undefined
}

/**
 * What is limited.
 *
 * Of a visitor's address: `challenge`; `solve` (calls that bring no right solution, and repeats); `slow` (wrong solutions by
 * `pb.1`); `guess` (wrong secrets). Of an address at a site: `visit` (right solutions); `fallback` (those by `pb.1`); `ticket`
 * (second tries). Of a site: `siteverify`; `junk` (tokens that are invalid, expired or used).
 */
export type Budget = 'challenge' | 'visit' | 'solve' | 'fallback' | 'slow' | 'ticket' | 'guess' | 'siteverify' | 'junk'
/** Those that are taken a point at a time, and refused when they are used up. */
export type PlainBudget = Exclude<Budget, 'visit' | 'challenge' | 'ticket' | 'fallback'>

/** A visit to charge: its work was found right. */
export interface VisitCharge {
  /** Its challenge, which is charged once. */
  readonly jti: Jti
  /** Its site: visits of one site do not use up the budgets of another, which may ask for more work. */
  readonly sitekey: Sitekey
  /** Until when its body may be sent again. */
  readonly until: UnixSeconds
  /** What it costs, in halves of an ordinary visit: 2 or more. */
  readonly halves: number
  /** Budgets that it also takes a point of. */
  readonly besides: readonly ('ticket' | 'fallback')[]
}

/**
 * How often someone may call. Who: a visitor's address as its mark; with `guess` as it is; or a sitekey. `visit` and `ticket`
 * also have budgets of the networks around the address, and a call that one of its budgets refuses takes nothing of the others.
 *
 * Every method throws a {@link Fault}: `rate-limit-exceeded` with the seconds to wait; `rate-limiter-unavailable` or
 * `database-unavailable` where the store cannot tell.
 */
export interface Limiter {
  /** Counts a challenge, and refuses only a flood. @returns whether it is beyond the budget of its address. */
  challenge(who: string): Promise<boolean>
  /** Takes one point. */
  take(budget: PlainBudget, who: string): Promise<void>
  /** Refuses as `take` does, and takes nothing. */
  check(budget: 'fallback' | 'ticket', who: string, sitekey: Sitekey): Promise<void>
  /** Charges a visit, once for each challenge. @returns whether this call did, or an earlier one. */
  visit(who: string, charge: VisitCharge): Promise<'first' | 'again'>
  /** Gives back a point that turned out to count elsewhere, or not at all. It may be lost: an outage is not an error here. */
  giveBack(budget: 'slow' | 'siteverify', who: string): Promise<void>
}

/** Where on a site something happened: an action that the site lists; undefined for all actions of a site that lists none. */
export interface SitePlace {
  readonly sitekey: Sitekey
  readonly action: Action | undefined
}

/** A visit as history counts it, once its work was found right and its budgets had room. */
export interface VisitCounted {
  readonly place: SitePlace
  /** Units of `s32.1` that it did. */
  readonly units: number
  /** Units that it was asked for, where it did a part of them; else 0. */
  readonly partOf: number
}

/**
 * Remembers for some minutes what work was done from addresses and networks and at sites; no address can be read from it. In
 * a fault it knows nothing, within 250 ms, and never throws. Only what was paid for by work is counted.
 */
export interface History {
  /** Returns what was done around an address. */
  near(address: string | undefined, now: UnixSeconds): Promise<Neighbourhood>
  /** Counts a visit, and returns what was done around its address, the visit included. */
  solved(address: string | undefined, visit: VisitCounted, now: UnixSeconds): Promise<Neighbourhood>
  /** Visits of a place as of the last one that this process counted; no I/O. */
  load(place: SitePlace, now: UnixSeconds): SiteLoad
}
