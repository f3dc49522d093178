import type { RequestFacts } from '../domain/signals.ts'
import type { Notes, Tokens } from '../ports.ts'

/** Who asks, as the edge saw it. */
export interface Caller {
  /** The visitor's address behind our own proxies; undefined when it could not be told. Never logged whole. */
  readonly address: string | undefined
  /** The Origin header, as sent. */
  readonly origin: string | undefined
  readonly facts: RequestFacts
  /** Adds to the one line that this request will log, and to what is counted of it. */
  note(fields: Notes): void
}

/** Whom the limiter counts: a keyed hash, so that no store ever holds an address. Strangers share one budget. */
export function whoIs({ address }: Caller, tokens: Tokens): string {
  return (address !== undefined && tokens.markAddress(address)?.hash) || 'unknown'
}
