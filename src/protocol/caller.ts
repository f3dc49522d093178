import type { AddressMark } from '../domain/address.ts'
import { allowsAction, type Site } from '../domain/site.ts'
import type { RequestFacts } from '../domain/signals.ts'
import type { Action } from '../domain/words.ts'
import type { Notes, SitePlace, Tokens } from '../ports.ts'

/** Who asks, as the edge saw it. */
export interface Caller {
  /** The visitor's address behind our own proxies; undefined when it could not be told. Never logged whole. */
  readonly address: string | undefined
  /** The Origin header, as sent. */
  readonly origin: string | undefined
  /** What the request says of the browser; read when first asked for. */
  facts(): RequestFacts
  /** Adds to the one line that this request will log, and to what is counted of it. */
  note(fields: Notes): void
}

/** The caller as any store may know it: a keyed hash, never an address. */
export function markOf({ address }: Caller, tokens: Tokens): AddressMark | undefined {
  return address === undefined ? undefined : tokens.markAddress(address)
}

/** Whom the limiter counts. Strangers share one budget. */
export const whoIs = (mark: AddressMark | undefined): string => mark?.hash ?? 'unknown'

/** Where history counts it. Only actions that the site lists have counts of their own: others are the visitor's to invent. */
export function placeOf(site: Site, action: Action): SitePlace {
  return { sitekey: site.sitekey, action: site.actions && allowsAction(site, action) ? action : undefined }
}
