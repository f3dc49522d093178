import { type AddressHash, compareAddresses } from '../domain/address-hash.ts'
import type { Rejection } from '../domain/codes.ts'
import type { ResponseClaims } from './response.ts'
import { reasonsOf } from '../score/score.ts'
import type { Reason } from '../score/rules.ts'

/** All that a judgement needs, gathered. */
export interface Evidence {
  readonly claims: ResponseClaims
  /** The action the customer's handler expects; undefined: not sent, so the handler must compare. */
  readonly expectedAction: string | undefined
  /** The address that the customer sent as `remoteip`, hashed with the token's key; undefined: nothing sent. */
  readonly remote: AddressHash | undefined
  /** 0 to 1. */
  readonly scoreThreshold: number
  /** True if siteverify says why a score is no higher. */
  readonly reasons?: boolean
  /** True if siteverify names the agent. */
  readonly agents?: boolean | undefined
}

export type Verdict =
  | {
      readonly accepted: true
      readonly claims: ResponseClaims
      readonly scoreThreshold: number
      readonly reasons?: readonly Reason[]
      readonly agent?: string
    }
  | { readonly accepted: false; readonly code: Bare }
  | { readonly accepted: false; readonly code: 'action-mismatch'; readonly action: string }
  | {
      readonly accepted: false
      readonly code: 'low-score'
      readonly score: number
      readonly scoreThreshold: number
      readonly reasons?: readonly Reason[]
      /** The ticket for a second try. */
      readonly stepUp?: string
      readonly agent?: string
    }

/** A rejection of which nothing more is said. */
type Bare = 'timeout-or-duplicate' | 'invalid-input-response' | 'remoteip-mismatch'

export const rejected = (code: Bare): Verdict => ({ accepted: false, code })

/**
 * Judges a token that was opened and consumed: the action, then the address, then the score.
 *
 * Pure: the same evidence gives the same verdict, so a repeated request needs no stored answer.
 * A score or a threshold that is not a number never passes, and a visitor whom a rule of the site denies passes at no threshold.
 *
 * @see docs/api/api.md, "POST /api/v1/siteverify"
 */
export function judge(evidence: Evidence): Verdict {
  const { claims, expectedAction, remote, scoreThreshold } = evidence
  if (expectedAction !== undefined && expectedAction !== claims.action) {
    return { accepted: false, code: 'action-mismatch', action: claims.action }
  }
  const { address, decision, namedAgent } = claims.sealed
  if (remote && address && compareAddresses(address, remote) === 'other')
    return rejected('remoteip-mismatch')
  const why = {
    ...(evidence.reasons && { reasons: reasonsOf(decision) }),
    ...(evidence.agents && namedAgent !== undefined && { agent: namedAgent }),
  }
  const denied = decision.rule?.effect.kind === 'deny'
  if (denied || !(decision.score >= scoreThreshold)) {
    return { accepted: false, code: 'low-score', score: decision.score, scoreThreshold, ...why }
  }
  return { accepted: true, claims, scoreThreshold, ...why }
}

/** The code a verdict is logged and counted under. */
export const verdictCode = (verdict: Verdict): 'accepted' | Rejection =>
  verdict.accepted ? 'accepted' : verdict.code

/** Reports whether a threshold that is being tried out would have refused a visitor whom the one in force accepted. */
export const wouldReject = (verdict: Verdict, shadowThreshold: number | undefined): boolean =>
  shadowThreshold !== undefined &&
  verdict.accepted &&
  !(verdict.claims.sealed.decision.score >= shadowThreshold)
