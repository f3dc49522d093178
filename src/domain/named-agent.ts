/**
 * Programs that prove their identity with a signature by a configured key (Web Bot Auth) or an address that their operator
 * publishes. A name is no endorsement: without a rule of the site it changes nothing.
 *
 * @see docs/operate/agents.md
 */

/** 1 to 20 characters, which fit into the sealed part of a response token. */
export const AGENT_NAME = /^[a-z0-9][a-z0-9_-]{0,19}$/

/** Means every configured agent in a rule, so it cannot be the name of one. */
export const ANY_AGENT = 'any'

/** The parts of a request that a signature may cover. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as received. */
  readonly target: string
  /** Returns the values of a header by its lowercase name, one for each line, in order. */
  fields(name: string): readonly string[]
}

/** Why a signature is not accepted, as logged; docs/operate/agents.md explains each. */
const SIGNATURE_REFUSALS = [
  'malformed',
  'other-tag',
  'uncovered',
  'unknown-key',
  'other-agent',
  'not-yet-valid',
  'expired',
  'unsupported',
  'invalid',
] as const

export type SignatureRefusal = (typeof SIGNATURE_REFUSALS)[number]

/** The agent that sent a request. */
export interface AgentFacts {
  /** Its configured name; undefined if it is none of those. */
  readonly name: string | undefined
  /** Why the request's signature is not accepted; undefined if there is none or it is valid. */
  readonly refusal: SignatureRefusal | undefined
}

export const NO_AGENT: AgentFacts = Object.freeze({ name: undefined, refusal: undefined })
