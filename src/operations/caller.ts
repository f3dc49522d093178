import type { AddressHash } from '../domain/address-hash.ts'
import { allowsAction, type Site } from '../domain/site.ts'
import type { RequestFacts } from '../score/signals.ts'
import { type AgentFacts, NO_AGENT, type SignedRequest } from '../domain/named-agent.ts'
import type { Action, Kid, UnixSeconds } from '../domain/words.ts'
import type { Notes } from '../domain/observing.ts'
import type { Agents, SiteAction } from '../domain/ports.ts'
import type { Tokens } from '../claims/tokens.ts'

/** The sender of a request, as our edge saw it. */
export interface Caller {
  /** The visitor's address behind our own proxies; undefined if unknown. Never logged in full. */
  readonly address: string | undefined
  /** The Origin header, as sent. */
  readonly origin: string | undefined
  /** What the request claims about the browser; computed on first use. */
  facts(): RequestFacts
  /** The parts of the request that a signature may cover; undefined if it has no signature. */
  readonly signed: () => SignedRequest | undefined
  /** Adds fields to the request's log line and to its metrics. */
  note(fields: Notes): void
}

/**
 * Returns the caller's address as stores may see it: a keyed hash.
 *
 * @param kid of the key that made the hash to compare with; the active key if omitted.
 * @param likely the most likely hash.
 */
export function callerHash(
  { address }: Pick<Caller, 'address'>,
  tokens: Pick<Tokens, 'hashAddress'>,
  kid?: Kid,
  likely?: AddressHash,
): AddressHash | undefined {
  return address === undefined ? undefined : tokens.hashAddress(address, kid, likely)
}

/** Returns the agent that sent the request, and notes why a signature names none. @param agents undefined if none are configured. */
export function agentOf(agents: Agents | undefined, caller: Caller, now: UnixSeconds): AgentFacts {
  const facts = agents?.identify(caller, now) ?? NO_AGENT
  if (facts.refusal !== undefined) caller.note({ agent_refusal: facts.refusal })
  return facts
}

/** Returns the limiter's key. Visitors without an address share one budget. */
export const whoIs = (hash: AddressHash | undefined): string => hash ?? 'unknown'

/** Returns where history counts a visit. Only actions that the site lists have their own counts: visitors can invent others. */
export function siteActionOf(site: Site, action: Action): SiteAction {
  return {
    sitekey: site.sitekey,
    action: site.actions && allowsAction(site, action) ? action : undefined,
  }
}
