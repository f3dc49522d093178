/** The interfaces we ask the outside for. Everything that is not a rule comes in through one of these. */
import type { AddressMark } from './domain/address.ts'
import type { ChallengeClaims } from './domain/challenge.ts'
import type { Fault, FaultCode } from './domain/codes.ts'
import type { SiteLoad } from './domain/difficulty.ts'
import type { HistoryFacts, Neighbourhood } from './domain/history.ts'
import type { NetworkFacts } from './domain/network.ts'
import type { ResponseClaims } from './domain/response.ts'
import type { Site } from './domain/site.ts'
import type { Action, AttemptId, Generation, Hostname, Jti, Kid, Sitekey, UnixSeconds } from './domain/words.ts'

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
  /** Whether any site names this hostname; decides only whether a page may read an error. */
  anyAllows(hostname: Hostname): boolean
  /** Whether any site asks for receipts. */
  anyReceipts(): boolean
}

/** Why a token was not opened: never ours or altered, or ours and over. */
export type Unopened = 'invalid' | 'expired'

/** Seals and opens the two kinds of token. Keys, algorithm and type are fixed here, never read from a token. */
export interface Tokens {
  sealChallenge(claims: Omit<ChallengeClaims, 'kid'>): string
  openChallenge(token: string, now: UnixSeconds): ChallengeClaims | Unopened
  /** @returns a token of at most 2,048 characters, whose length does not depend on what is sealed. */
  sealResponse(claims: Omit<ResponseClaims, 'kid'>): string
  /** @returns `invalid` too for a token of another site. */
  openResponse(token: string, sitekey: Sitekey, now: UnixSeconds): ResponseClaims | Unopened
  /**
   * An address as it may be kept: a keyed hash with what is needed to compare it.
   * @param kid the key to hash with; left out: the active one.
   */
  markAddress(address: string, kid?: Kid): AddressMark | undefined
  /** What a visit shows as it may be kept: 48 bits of a keyed hash, base64url. */
  markBehaviour(text: string, kid: Kid): string
  /** 32 pseudo-random bytes that nobody without the keyring can know beforehand. */
  derive(purpose: 'positions' | 'proof', input: string, kid: Kid): Buffer
  /** The key that seals what is issued now. */
  activeKid(now: UnixSeconds): Kid
}

/** A public key that checks receipts: a JWK, RFC 8037. */
export interface ReceiptKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly alg: 'EdDSA'
  readonly use: 'sig'
  readonly kid: Kid
  /** 32 bytes, base64url. */
  readonly x: string
}

/** Signs what was accepted, for others to check without asking us. */
export interface Receipts {
  /** The same claims give the same receipt. */
  sign(claims: ResponseClaims): Promise<string>
  /** A JWK Set: of every key of the keyring, so that a key is known before it signs. */
  keys(): { readonly keys: readonly ReceiptKey[] }
}

/** What is to be consumed, by whom, and how long it must be remembered. */
export interface Consumable {
  readonly kind: 'challenge' | 'response'
  readonly jti: Jti
  /** The ledger history the challenge was issued in. */
  readonly generation: Generation
  /** The same attempt again is recognised as its own; any other is not. */
  readonly attempt: AttemptId
  readonly expiresAt: UnixSeconds
  /** At least `expiresAt`. */
  readonly keepUntil: UnixSeconds
}

/**
 * `ours`: this attempt holds the entry, now or since an earlier call. `taken`: another attempt does.
 * `stale`: another generation; entries may be missing, so nobody gets it. `expired`: by the ledger's clock.
 */
export type Consumption = 'ours' | 'taken' | 'stale' | 'expired'

/** The limiter's window is used up: nothing was consumed. */
export interface UsedUp {
  readonly waitMs: number
}

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
  /** What keeps all of the ledger from being used, as far as is known already; undefined: at least a part works. */
  fault(): Fault | undefined
  /**
   * Asks the store now.
   * @throws {Fault} as `consume`.
   */
  probe(): Promise<void>
  close(): Promise<void>
}

/** What local files know of an address. */
export interface Networks {
  /** In memory, in microseconds; nothing known where there are no files, or no address. */
  of(address: string | undefined): NetworkFacts
}

/** A point of the limiter and an entry of the ledger, in this order: who may not call consumes nothing. */
export interface Admission {
  /**
   * Takes one point and, only if there was one, consumes. One round trip where both share a store.
   * @throws {Fault} as `Limiter.take`, then as `Ledger.consume`.
   */
  admit(operation: Operation, who: string, entry: Consumable): Promise<Consumption>
}

/** What has a budget; `fallback`: challenges for `pb.1`, beside `challenge`. */
export type Operation = 'challenge' | 'solve' | 'siteverify' | 'fallback'

/** How often someone may call. */
export interface Limiter {
  /**
   * Takes one point.
   * @param who a visitor's address mark, or a sitekey.
   * @throws {Fault} `rate-limit-exceeded` with the seconds to wait, `rate-limiter-unavailable` when nobody can tell.
   */
  take(operation: Operation, who: string): Promise<void>
  close(): Promise<void>
}

/** Where on a site something happened: an action that the site lists; undefined for all actions of a site that lists none. */
export interface SitePlace {
  readonly sitekey: Sitekey
  readonly action: Action | undefined
}

/** A solve as history counts it. */
export interface SolveCounted {
  readonly jti: Jti
  readonly place: SitePlace
  /** Keyed hashes of what the visit shows; undefined when it shows too little to be known again. */
  readonly behaviour: { readonly exact: string; readonly alike: readonly string[] } | undefined
}

export interface SolveKnown extends Neighbourhood, Pick<HistoryFacts, 'again' | 'alike' | 'everywhere' | 'siteSolves'> {
  /** False: this challenge was counted before; nothing more of it is to be noted. */
  readonly first: boolean
}

/** What became of a visit. Nobody waits for it to be counted. */
export interface Noted {
  readonly place: SitePlace
  /** The visitor's address mark, if any. */
  readonly address?: string | undefined
  readonly what: 'challenged' | 'solved' | 'verified' | 'failed' | 'low'
  /** With `solved`: how much of the work was left undone, 0 to 1. */
  readonly unfinished?: number
  /** With `solved`: the exact behaviour's hash, to be counted for the whole place. */
  readonly behaviour?: string | undefined
  /** With `solved`: the bin that the time of the work fell into. domain/human-cost.ts */
  readonly costBin?: number | undefined
}

/**
 * What is remembered of addresses, networks, sites and behaviour, for some minutes; no address and no behaviour can be
 * read from it. It decides about nobody: in a fault it knows nothing, within 250 ms, and never throws.
 */
export interface History {
  /** Counts a challenge. To be called together with the limiter, so that both share a round trip. */
  challenged(address: string | undefined, now: UnixSeconds): Promise<Neighbourhood>
  /** Counts a solve, once for each challenge. To be called together with the ledger. */
  solved(address: string | undefined, solve: SolveCounted, now: UnixSeconds): Promise<SolveKnown>
  /** May be lost. */
  note(noted: Noted): void
  /** What is known of a place already, as of a second ago; no I/O. */
  load(place: SitePlace, now: UnixSeconds): SiteLoad
  /** Counts what waits, and lets go. */
  close(): Promise<void>
}

/** Against guessing secrets: counted in memory, so that a refusal never depends on a store. */
export interface Guesses {
  /** @throws {Fault} `rate-limit-exceeded` while the address has guessed too often. */
  check(address: string): void
  /** Counts a wrong secret. */
  count(address: string): void
}

/** Whether the service can do its work; undefined: it can. */
export interface Readiness {
  fault(): FaultCode | undefined
}

/** One line per event; only the fields of the allow-list, whose names are the glossary's. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface LogFields {
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly code?: string
  readonly ms?: number
  readonly request_id?: string
  readonly sitekey?: string
  readonly action?: string
  readonly hostname?: string
  readonly jti?: string
  readonly score?: number
  /** The site's own rule that a visit met, by its name. */
  readonly rule?: string
  /** Accepted, though below the site's shadow_threshold. */
  readonly would_reject?: boolean
  /** The visitor's network, never the address: IPv4 /24, IPv6 /48. */
  readonly network?: string
  readonly url?: string
  readonly ops_url?: string
  readonly detail?: string
  readonly hint?: string
  readonly decision?: object
  /** Logged as name, message and stack of our own code; never a request's content. */
  readonly cause?: unknown
}

/** What the parts of a request note about it: what its line says, and what is only counted. */
export interface Notes extends LogFields {
  /** Of the work that was asked for, 0 to 8. */
  readonly level?: number
  /** Milliseconds the work took, as the browser says. */
  readonly work_ms?: number
  /** When the token ends that was issued or presented. */
  readonly token_ends?: UnixSeconds
  /** What lowered the score, each once. */
  readonly reasons?: readonly string[]
}

/** What can be read again while the service runs. */
export type Reloadable = 'configuration' | 'keyring'

/** What is in force, and what was refused. */
export interface InForce {
  /** Unix milliseconds: when it was read. */
  readonly since: number
  /** Why the last attempt to read it again changed nothing; undefined: it succeeded. */
  readonly problem: { readonly at: number; readonly says: string } | undefined
}

/** Counts, for operators. Told in passing: nothing here throws, or is waited for. */
export interface Meters {
  /** One request, once, when its line is logged. */
  request(operation: string, notes: Notes): void
  /** @param ms milliseconds until the answer, or until it was clear that there is none. */
  asked(of: 'ledger' | 'limiter', outcome: string, ms: number): void
  /** The ledger has begun a new generation: entries may have been lost. */
  generationMoved(): void
  /** @param problem why the old one stays in force; left out: the new one does. Never holds a secret. */
  reloaded(what: Reloadable, problem?: string): void
  /** Requests that were refused unread, because more came than can be served in time. */
  shed(requests: number): void
  /** Lines of the log that could not be written. */
  linesLost(lines: number): void
}

/** What operators read on the ops listener. */
export interface Readings {
  /** The counts of this process, in Prometheus' text format. */
  exposition(): Promise<{ readonly type: string; readonly text: string }>
  /** The whole fleet's, for the dashboard. @param minutes 1 to 60: how far back. */
  fleet(minutes: number): Promise<object>
}
