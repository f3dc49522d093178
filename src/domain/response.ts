import type { AddressMark } from './address-mark.ts'
import type { Decision } from '../score/score.ts'
import type { Action, Generation, Hostname, Jti, Kid, Sitekey, UnixSeconds } from './words.ts'

/** What a token keeps of a decision; the log has the whole. */
export interface SealedDecision extends Pick<Decision, 'score' | 'rule' | 'stepped'> {
  /** The strongest that speak against the visit: of them come the reasons, and what a second visit inherits. */
  readonly contributions: Decision['contributions']
}

/** The part of a response token that only we may read: a browser, or a bot, must not learn its own score. */
export interface SealedClaims {
  readonly decision: SealedDecision
  /** The address that solved; undefined when it could not be told. */
  readonly address: AddressMark | undefined
  /** The agent of the configuration that asked for the challenge and solved it, by its name. */
  readonly namedAgent?: string | undefined
}

/** Claims of an opened response token. */
export interface ResponseClaims {
  /** The id of the challenge it was minted for: however many tokens, one id. */
  readonly jti: Jti
  readonly kid: Kid
  readonly sitekey: Sitekey
  readonly hostname: Hostname
  readonly action: Action
  readonly cdata: string | undefined
  /** The challenge's, never a new one. */
  readonly generation: Generation
  /** When the challenge was issued. */
  readonly challengedAt: UnixSeconds
  readonly issuedAt: UnixSeconds
  readonly expiresAt: UnixSeconds
  /** Until when the ledger keeps the entry: the latest expiry of any token with this id, and a margin. */
  readonly keepUntil: UnixSeconds
  readonly sealed: SealedClaims
}
