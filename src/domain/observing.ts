/** The interfaces by which operators observe the service: log, counters, readiness. */
import type { NetworkPrefix } from './address.ts'
import type { FaultCode } from './codes.ts'

/** Returns why the service cannot work; undefined if it can. */
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
  /** Name of the site's rule that matched the visit. */
  readonly rule?: string
  /** A ticket was given, a step was done, or it was done and the visit reached the threshold. */
  readonly step_up?: 'asked' | 'done' | 'helped'
  /** Name of the configured agent that sent the request. */
  readonly agent?: string
  /** Why the signature of a request names no agent; docs/operate/agents.md lists the reasons. */
  readonly agent_refusal?: string
  /** The customer vouched for the visitor with a pass. */
  readonly vouched?: boolean
  /** Accepted, but below the site's shadow_threshold. */
  readonly would_reject?: boolean
  /** The visitor's network, never the address: IPv4 /24, IPv6 /48. */
  readonly network?: NetworkPrefix
  readonly url?: string
  readonly ops_url?: string
  readonly detail?: string
  readonly hint?: string
  readonly decision?: object
  /** Logged as name, message and the first stack frames. */
  readonly cause?: unknown
}

/** What the parts of the service note about a request, for its log line and for metrics. */
export interface Notes extends LogFields {
  /** The request is a repeat: only the number of requests counts it. */
  readonly again?: true | undefined
  /** Level of the requested work, 0 to 8. */
  readonly level?: number
  /** Milliseconds that the work took, as reported by the browser. */
  readonly work_ms?: number | undefined
  /** Reasons that lowered the score, each once. */
  readonly reasons?: readonly string[]
}

/** A kind of file that is reloaded while the service runs. */
export type Reloadable = 'configuration' | 'keyring'

/** The version in use, and why a newer one was refused. */
export interface InForce {
  /** Unix milliseconds: when it was read. */
  readonly since: number
  /** Why the last reload failed; undefined if it succeeded. */
  readonly problem: { readonly at: number; readonly says: string } | undefined
}

/** Metrics for operators. No method throws or blocks. */
export interface Meters {
  /** Counts a request when its line is logged. */
  request(operation: string, notes: Notes): void
  /** @param ms milliseconds until the answer, or until it failed. */
  storeCall(of: 'ledger' | 'limiter', outcome: string, ms: number): void
  /** The ledger has begun a new generation: entries may have been lost. */
  generationMoved(): void
  /** @param problem why the old version stays in use, if it does; contains no secret. */
  reloaded(what: Reloadable, problem?: string): void
  /** Counts requests that were refused unread because of overload. */
  shed(requests: number): void
  /** Counts log lines that could not be written. */
  linesLost(lines: number): void
}
