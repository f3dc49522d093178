/**
 * The JSON payloads as types, spelled as on the wire (docs/design/contract.md, "What every operation shares").
 * The widget imports these types, and nothing else of the service.
 */
import type { Algorithm } from './domain/challenge.ts'
import type { Code, FaultCode, Rejection } from './domain/codes.ts'
import type { Reason } from './score/rules.ts'
import type { WireProof } from './proof/task.ts'
import type { Signals } from './score/signals.ts'

export type { BoxTask, PathTask, WireProof, WireProofTask } from './proof/task.ts'

/** POST /api/v1/challenge, from the page. */
export interface ChallengeRequest {
  readonly sitekey: string
  /** 1 to 64 of `A-Z a-z 0-9 _ - / .`; left out: the site's `default_action`. */
  readonly action?: string
  /** At most 255 characters; handed to the customer's server on success. */
  readonly cdata?: string
  /** The newest version of the browser proof that the widget knows; in a form: its digits. docs/design/proof.md */
  readonly proof?: number
  /** Left out: `s32.2`. Only a browser without a JIT asks for `pb.1`; docs/design/history.md */
  readonly algorithm?: Algorithm | undefined
  /** A ticket: the challenge is for the second try after a low score. docs/widget/refused.md */
  readonly ticket?: string | undefined
}

export interface ChallengeAnswer {
  /** The challenge token: compact JWS. */
  readonly challenge: string
  readonly work: WireWork
  /** The key of the work, eight 32-bit integers made from the challenge token: browsers have no SHA-256 on plain http. */
  readonly key: readonly number[]
  /** Tasks that a browser answers in `signals.proof`; left out where no version of it was named. */
  readonly proof?: WireProof
  /** Seconds. */
  readonly expires_in: number
}

/** The work a challenge asks for; the same values are signed inside it. docs/design/proof-of-work.md, "The protocol". */
export interface WireWork {
  /** The algorithm, versioned. */
  readonly a: Algorithm
  /** Steps per unit; of `pb.1`, iterations. */
  readonly s: number
  /** Units. */
  readonly n: number
  /** Milliseconds of work after which the part that is done may be handed in, for a lower score. */
  readonly b: number
}

/** POST /api/v1/solve, from the page. */
export interface SolveRequest {
  readonly challenge: string
  /** base64url; docs/design/proof-of-work.md, "The protocol". */
  readonly solution: string
  /** What the browser says of the visit. In a form: the same object as JSON text. */
  readonly signals: WireSignals
  /** The ticket that the challenge was issued for. */
  readonly ticket?: string | undefined
  /** `1`: this program can show the step, and takes a ticket in place of a token. */
  readonly step_up?: '1' | undefined
}

/** The summary made in the browser, at most 4 KiB as JSON; domain/signals.ts says what each member means. */
export type WireSignals = Signals

export interface SolveAnswer {
  /** The response token: compact JWS, at most 2,048 characters. */
  readonly token: string
  /** Seconds. */
  readonly expires_in: number
}

/** Only for a site with `step_up: managed`, in place of a token: the widget shows the step first. docs/widget/refused.md */
export interface TicketAnswer {
  /** Compact JWS, at most 2,048 characters. */
  readonly ticket: string
  /** Seconds. */
  readonly expires_in: number
}

/** POST /api/v1/siteverify, from the customer's server. docs/design/contract.md, "POST /api/v1/siteverify". */
export interface SiteverifyRequest {
  readonly secret: string
  readonly response: string
  readonly remoteip?: string
  readonly action?: string
  /** UUID, version 4 or 7: one per form submission received. */
  readonly idempotency_key?: string
}

export interface AcceptedAnswer {
  readonly success: true
  /** UTC, `YYYY-MM-DD HH:MM:SS`: when the challenge was issued. */
  readonly challenge_ts: string
  readonly hostname: string
  readonly score: number
  readonly score_threshold: number
  readonly action: string
  /** Only when the page gave one. */
  readonly cdata?: string | undefined
  /** Only for a site with `reasons: true`: why the score is no higher, from the strongest on. docs/design/scoring.md */
  readonly reasons?: readonly Reason[] | undefined
  /** Only for a site with `agents: true`, and a named agent: its name in the configuration. docs/operate/agents.md */
  readonly agent?: string | undefined
  readonly 'error-codes': readonly []
}

export interface RejectedAnswer {
  readonly success: false
  /** With `low-score` only. */
  readonly score?: number
  readonly score_threshold?: number
  /** With `low-score`, and only for a site with `reasons: true`. */
  readonly reasons?: readonly Reason[] | undefined
  /** With `low-score`, and only for a site with `step_up: ticket`: for the second try. docs/widget/refused.md */
  readonly step_up?: string | undefined
  /** With `low-score`, and only for a site with `agents: true` and a named agent. */
  readonly agent?: string | undefined
  /** With `action-mismatch` only: the token's action. */
  readonly action?: string
  readonly 'error-codes': readonly [Rejection]
}

export type SiteverifyAnswer = AcceptedAnswer | RejectedAnswer

/** Every failure that could not be judged, whatever the operation. */
export interface FailureAnswer {
  readonly success: false
  readonly 'error-codes': readonly [FaultCode, ...FaultCode[]]
}

export type HealthAnswer =
  { readonly status: 'ok' } | { readonly status: 'unavailable'; readonly 'error-codes': readonly Code[] }
