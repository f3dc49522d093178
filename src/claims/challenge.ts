import type { AddressHash } from '../domain/address-hash.ts'
import type { ProofVersion } from '../proof/proof.ts'
import type { Pow } from '../work/pow.ts'
import type {
  Action,
  Generation,
  Hostname,
  Jti,
  Kid,
  Seconds,
  Sitekey,
  UnixSeconds,
} from '../domain/words.ts'
import { later } from '../domain/words.ts'

/** Claims of every opened token. */
export interface TokenClaims {
  /** The id of the challenge: it and what was issued for it, however many tokens, share one. */
  readonly jti: Jti
  /** The key that signed it. */
  readonly kid: Kid
  readonly sitekey: Sitekey
  readonly hostname: Hostname
  readonly action: Action
  /** The challenge's, never a new one. */
  readonly generation: Generation
  readonly issuedAt: UnixSeconds
  readonly expiresAt: UnixSeconds
}

/** Claims of an opened challenge token. */
export interface ChallengeClaims extends TokenClaims {
  /** The origin of the page it was issued to, as its browser sent it; `hostname` is its host. */
  readonly origin: string
  readonly cdata: string | undefined
  /** The life of every token minted for it; fixed here, so a policy change never outlives the ledger entry. */
  readonly tokenLifetime: Seconds
  readonly pow: Pow
  /** The address that asked; undefined when it could not be told. */
  readonly address: AddressHash | undefined
  /** The browser proof that is owed; undefined: the widget named no version that we ask for. */
  readonly proof: ProofVersion | undefined
  /** The id of the ticket that it was issued for; undefined: it is an ordinary challenge. */
  readonly step?: Jti | undefined
  /** The agent of the configuration that asked, by its name; domain/named-agent.ts */
  readonly namedAgent?: string | undefined
}

/**
 * Seconds a ledger entry outlives the last token it guards: room for clocks that differ. Another value is another schema
 * of the ledger: two releases must look for an entry in the same place.
 */
export const LEDGER_MARGIN = 60

/**
 * Returns until when the ledger must remember a challenge's tokens: the latest expiry any of them can have, and a margin.
 * Tokens may be minted until the challenge ends, so the first token's own expiry is not enough
 * (keeping only that long re-admitted 300 of 300 in a trial; docs/design/single-use.md).
 */
export function keepTokensUntil(
  challengeExpiresAt: UnixSeconds,
  tokenLifetime: Seconds,
): UnixSeconds {
  return later(challengeExpiresAt, tokenLifetime + LEDGER_MARGIN)
}
