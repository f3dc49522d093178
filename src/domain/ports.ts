/** The interfaces of everything with a memory: sites, ledger, limiter, history, networks; and the two sources, clock and random. */
import type { AddressHash } from './address-hash.ts'
import type { Fault } from './codes.ts'
import type { Neighbourhood, SiteLoad } from './work-done.ts'
import type { AgentFacts, SignedRequest } from './named-agent.ts'
import type { NetworkFacts } from './network.ts'
import type { Site } from './site.ts'
import type { Action, AttemptId, Generation, Jti, Sitekey, UnixSeconds } from './words.ts'

export interface Clock {
  /** Unix seconds, whole. */
  now(): UnixSeconds
}

export interface Random {
  /** 128 random bits, base64url, 22 characters. */
  id(): string
}

/** The sites of the configuration in force. One lookup gives one frozen policy, never a mixture of two. */
export interface Sites {
  bySitekey(sitekey: string): Site | undefined
  /** Looks up the hash of the secret, then compares it in constant time; no I/O. An expired secret finds nothing. */
  bySecret(secret: string, now: UnixSeconds): Site | undefined
}

/** The id to consume, the attempt that consumes it, and how long to remember it. */
export interface Consumable {
  readonly kind: 'challenge' | 'response' | 'ticket' | 'pass'
  readonly jti: Jti
  /** The generation in which the challenge was issued. */
  readonly generation: Generation
  /** Only a repeat of the same attempt is recognised. */
  readonly attempt: AttemptId
  readonly expiresAt: UnixSeconds
  /** Part of the entry's key, with id and kind: equal for all tokens of which only one may be accepted. */
  readonly keepUntil: UnixSeconds
}

/**
 * `first`: this attempt now holds the entry. `again`: it already held it, since a call whose reply may have been lost. `taken`:
 * another attempt holds it. `stale`: of another generation; its entries may be missing, so no attempt gets it. `expired`: by
 * the ledger's clock.
 */
export type Consumption = 'first' | 'again' | 'taken' | 'stale' | 'expired'

/**
 * Remembers consumed tokens until they expire. It checks and records in one atomic method, so that of two callers with the same
 * token only one is first, in one process or in ten.
 */
export interface Ledger {
  /**
   * Answers within 500 ms.
   * @throws {Fault} `database-unavailable` or `database-schema-outdated`, whenever the outcome is unknown.
   */
  consume(entry: Consumable): Promise<Consumption>
  /**
   * Returns the generation for a new challenge with this id; each partition has its own.
   * @throws {Fault} if the last answer is older than 1.5 s, or the schema is not ours.
   */
  generation(jti: Jti): Generation
  /**
   * Returns when the generation that `generation` returns began, by the ledger's clock; undefined if unknown. Both are of the same
   * answer, so a caller that uses them together cannot mix two generations.
   */
  beganAt(jti: Jti): UnixSeconds | undefined
  /** Returns the known fault that makes the whole ledger unusable; undefined if at least a part works. */
  fault(): Fault | undefined
  /** Last known share of the store's memory in use, 0 to 1; 0 if it has no limit. */
  fullness(): number
  /** Last known number of seconds by which our clock is ahead of the store's; negative: behind. */
  clockAhead(): number
  /** Polls the store. @throws {Fault} as `consume`. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** Facts of local files about an address. */
export interface Networks {
  /** Looks up facts in memory, within microseconds; all unknown without files or an address. */
  lookUp(address: string | undefined): NetworkFacts
}

/** The agents of the configuration. */
export interface Agents {
  /** Names the agent that sent a request, by its signature or address. In memory; a signature takes 0.1 ms. */
  identify(request: SignedVisit, now: UnixSeconds): AgentFacts
}

export interface SignedVisit {
  /** Called only if agents with keys are configured. @returns undefined if the request has no signature. */
  readonly signed: () => SignedRequest | undefined
  readonly address: string | undefined
}

/**
 * Budgets that are taken a point at a time: `siteverify`, per site; `invalidSecret`, per address; and `invalidSolution`, per
 * address, for calls of solve that bring no right solution, and for repeats. Each has the name of its setting in `limits`;
 * `invalidSolution` has none of its own, and the rate of `challenge`, because each solution answers one.
 */
export type PlainBudget = 'siteverify' | 'invalidSecret' | 'invalidSolution'
/** Budgets that a visit takes a point of, where they concern it, besides that of `solve`. */
export type ExtraBudget = 'ticket' | 'fallback'

/** A visit to charge, whose work is right. */
export interface VisitCharge {
  /** Id of its challenge, which is charged once. */
  readonly jti: Jti
  /** Its site: visits of one site do not use up the budgets of another. */
  readonly sitekey: Sitekey
  /** Until when its body may be repeated. */
  readonly until: UnixSeconds
  /** What it costs of `solve`, in halves of an ordinary visit: 2 or more. */
  readonly cost: number
  readonly extraBudgets: readonly ExtraBudget[]
}

/**
 * Limits how often callers may call. `who` is an address hash, a plain address (`invalidSecret`) or a sitekey. `solve` and
 * `ticket` also have budgets of the surrounding networks, and a call that one budget refuses takes nothing from the others.
 *
 * Every method but `giveBack` throws a {@link Fault}: `rate-limit-exceeded` with the seconds to wait, or `rate-limiter-unavailable` or
 * `database-unavailable` if the store fails.
 */
export interface Limiter {
  /** Counts a challenge, and refuses only a flood. @returns whether the address is over its budget. */
  challenge(who: string): Promise<boolean>
  /** Takes one point. */
  take(budget: PlainBudget, who: string): Promise<void>
  /**
   * Takes one point of the junk of a site: first of its sender's share, so that one sender cannot use up the budget of the site
   * and have other visitors refused.
   *
   * @param sender the address hash of the visitor who sent the token; undefined if unknown: then only the site's budget counts.
   */
  junk(sitekey: Sitekey, sender: AddressHash | undefined): Promise<void>
  /** Refuses as `take` does, but takes nothing. */
  check(budget: ExtraBudget, who: string, sitekey: Sitekey): Promise<void>
  /** Charges a visit to `solve` and to its extra budgets, once for each challenge. @returns whether this call charged it or an earlier one did. */
  visit(who: string, charge: VisitCharge): Promise<'first' | 'again'>
  /** Gives back a point that should not have been taken from this budget. An outage loses it and throws nothing. */
  giveBack(budget: 'siteverify', who: string): Promise<void>
}

/** A site and one of its listed actions; without the action, all actions of a site that lists none. */
export interface SiteAction {
  readonly sitekey: Sitekey
  readonly action: Action | undefined
}

/** A visit as history counts it, after it was charged. */
export interface VisitCounted {
  readonly siteAction: SiteAction
  /** Units of `s32.1` done. */
  readonly units: number
  /** Units asked for, if it did a part of them; else 0. */
  readonly partOf: number
}

/**
 * Remembers for some minutes the work done by addresses and networks and at sites, by keyed hashes of addresses. Counts only
 * visits that were paid for by work. If the store fails, it returns zeros within 250 ms and never throws.
 */
export interface History {
  /** Returns the work done around an address. */
  near(address: string | undefined, now: UnixSeconds): Promise<Neighbourhood>
  /** Counts a visit, and returns the work done around its address, including this visit. */
  solved(address: string | undefined, visit: VisitCounted, now: UnixSeconds): Promise<Neighbourhood>
  /** Returns the visits of a site's action as of the last one that this process counted; no I/O. */
  load(siteAction: SiteAction, now: UnixSeconds): SiteLoad
}
