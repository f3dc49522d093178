/**
 * Programs that prove who they are: by a signature under a key of the configuration (Web Bot Auth), or by an address that
 * their operator publishes. A name is no endorsement: without a rule of the site it changes nothing.
 *
 * @see docs/operate/agents.md
 */

/** 1 to 20 characters: a response token has room for them in its sealed part. */
export const AGENT_NAME = /^[a-z0-9][a-z0-9_-]{0,19}$/

/** In a rule it stands for every agent of the configuration, so no agent may have it as its name. */
export const ANY_AGENT = 'any'

/** A request with what a signature may cover; read only where it carries one. */
export interface SignedRequest {
  readonly method: string
  /** Path and query, as they came. */
  readonly target: string
  /** Values of a header by its lowercase name: one for each line of it, in their order. */
  fields(name: string): readonly string[]
}

/** Why a signature is not accepted. Each is a word of the log; docs/operate/agents.md explains them. */
export const SIGNATURE_REFUSALS = [
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

/** The agent that a request comes from. */
export interface AgentFacts {
  /** Its name in the configuration; undefined: none that is known. */
  readonly name: string | undefined
  /** Why the request's signature is not accepted; undefined: there is none, or a valid one. */
  readonly refusal: SignatureRefusal | undefined
}

export const NO_AGENT: AgentFacts = Object.freeze({ name: undefined, refusal: undefined })
