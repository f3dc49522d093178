import type { AddressHash } from '../domain/address-hash.ts'
import type { TokenClaims } from './challenge.ts'
import type { Decision } from '../score/score.ts'
import type { UnixSeconds } from '../domain/words.ts'

/** What a token keeps of a decision; the log has the whole. */
export interface SealedDecision extends Pick<Decision, 'score' | 'rule' | 'stepped'> {
  /** The strongest against the visit: the source of the reasons, and of what a second visit inherits. */
  readonly contributions: Decision['contributions']
}

/** The part of a response token that only we may read: a browser, or a bot, must not learn its own score. */
export interface SealedClaims {
  readonly decision: SealedDecision
  /** The address that solved; undefined if unknown. */
  readonly address: AddressHash | undefined
  /** The agent of the configuration that asked for the challenge and solved it, by its name. */
  readonly namedAgent?: string | undefined
}

/** Claims of an opened token with a decision. */
export interface JudgedClaims extends TokenClaims {
  /** Until when the ledger keeps the entry: the latest expiry of any token of the kind with this id, and a margin. */
  readonly keepUntil: UnixSeconds
  /** The decision about the visit, and the address it came from. */
  readonly sealed: SealedClaims
}

/** Claims of an opened response token. */
export interface ResponseClaims extends JudgedClaims {
  readonly cdata: string | undefined
  /** When the challenge was issued. */
  readonly challengedAt: UnixSeconds
}
