import type { AddressMark } from '../domain/address-mark.ts'
import { allowsAction, type Site } from '../domain/site.ts'
import type { RequestFacts } from '../score/signals.ts'
import { type AgentFacts, NO_AGENT, type SignedRequest } from '../domain/named-agent.ts'
import type { Action, Kid, UnixSeconds } from '../domain/words.ts'
import type { Notes } from '../domain/observing.ts'
import type { Agents, SitePlace } from '../domain/stores.ts'
import type { Tokens } from '../claims/tokens.ts'

/** The caller, as the edge saw it. */
export interface Caller {
  /** The visitor's address behind our own proxies; undefined when it could not be told. Never logged whole. */
  readonly address: string | undefined
  /** The Origin header, as sent. */
  readonly origin: string | undefined
  /** Claims of the request about the browser; read when first asked for. */
  facts(): RequestFacts
  /** The request as a signature may cover it; undefined: it carries none. */
  readonly signed: () => SignedRequest | undefined
  /** Adds to the one line that this request will log, and to what is counted of it. */
  note(fields: Notes): void
}

/**
 * The caller as stores may see it: a keyed hash, never an address.
 *
 * @param kid of the key that made the mark to compare it with; left out: the active one.
 * @param known the mark that it most likely has.
 */
export function callerMark(
  { address }: Pick<Caller, 'address'>,
  tokens: Pick<Tokens, 'markAddress'>,
  kid?: Kid,
  known?: AddressMark,
): AddressMark | undefined {
  return address === undefined ? undefined : tokens.markAddress(address, kid, known)
}

/** Names the agent that asks, and notes it for the log line. @param agents undefined: none are configured. */
export function agentOf(agents: Agents | undefined, caller: Caller, now: UnixSeconds): AgentFacts {
  const facts = agents?.of(caller, now) ?? NO_AGENT
  if (facts.refusal !== undefined) caller.note({ agent_refusal: facts.refusal })
  return facts
}

/** The key that the limiter counts. Visitors without an address share one budget. */
export const whoIs = (mark: AddressMark | undefined): string => mark ?? 'unknown'

/** Where history counts it. Only actions that the site lists have counts of their own: a visitor can invent others. */
export function placeOf(site: Site, action: Action): SitePlace {
  return { sitekey: site.sitekey, action: site.actions && allowsAction(site, action) ? action : undefined }
}
