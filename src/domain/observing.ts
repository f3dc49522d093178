/** The interfaces by which operators observe the service: log, counters, readiness. */
import type { NetworkPrefix } from './address.ts'
import type { FaultCode } from './codes.ts'

/** Reports whether the service can do its work; undefined: it can. */
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
  /** A ticket was given, a step was done, or it was done and the visit reached the threshold. */
  readonly step_up?: 'asked' | 'done' | 'helped'
  /** The agent of the configuration that the request comes from, by its name. */
  readonly agent?: string
  /** Why the signature of a request names no agent: a word of docs/operate/agents.md. */
  readonly agent_refusal?: string
  /** The customer vouched for the visitor, with a pass. */
  readonly vouched?: boolean
  /** Accepted, though below the site's shadow_threshold. */
  readonly would_reject?: boolean
  /** The visitor's network, never the address: IPv4 /24, IPv6 /48. */
  readonly network?: NetworkPrefix
  readonly url?: string
  readonly ops_url?: string
  readonly detail?: string
  readonly hint?: string
  readonly decision?: object
  /** Logged as name, message and stack of our own code; never a request's content. */
  readonly cause?: unknown
}

/** Notes of the parts of a request about it: for its log line, and for counts alone. */
export interface Notes extends LogFields {
  /** The same request was answered before: it is counted among requests, and nowhere else. */
  readonly again?: true | undefined
  /** Level of the work that was asked for, 0 to 8. */
  readonly level?: number
  /** Milliseconds the work took, as the browser says. */
  readonly work_ms?: number | undefined
  /** Reasons that lowered the score, each once. */
  readonly reasons?: readonly string[]
}

/** A thing that can be read again while the service runs. */
export type Reloadable = 'configuration' | 'keyring'

/** The version in force, and the refusal of a newer one. */
export interface InForce {
  /** Unix milliseconds: when it was read. */
  readonly since: number
  /** Why the last attempt to read it again changed nothing; undefined: it succeeded. */
  readonly problem: { readonly at: number; readonly says: string } | undefined
}

/** Counts, for operators. Recorded without waiting: nothing here throws or blocks. */
export interface Meters {
  /** One request, once, when its line is logged. */
  request(operation: string, notes: Notes): void
  /** @param ms milliseconds until the answer, or until it was clear that there is none. */
  storeCall(of: 'ledger' | 'limiter', outcome: string, ms: number): void
  /** The ledger has begun a new generation: entries may have been lost. */
  generationMoved(): void
  /** @param problem why the old one stays in force; left out: the new one does. Never holds a secret. */
  reloaded(what: Reloadable, problem?: string): void
  /** Requests that were refused unread, because more came than can be served in time. */
  shed(requests: number): void
  /** Lines of the log that could not be written. */
  linesLost(lines: number): void
}
