/** Who a visitor is, and how sure that is. */

export interface Identity {
  /**
   * `verified`: by a signature, by its address, or by the name of its host. `claimed`: it says so, which everybody can do.
   * `unknown`: it is nobody that the gate knows.
   */
  readonly strength: 'verified' | 'claimed' | 'unknown'
  /** The guest or the agent that it is, or says it is. */
  readonly name: string | undefined
  /** The names by which rules know the guest: its own, and that of its list. Nobody who only claims has one. */
  readonly guest: readonly string[]
  /** The agent that signed the request. */
  readonly agent: string | undefined
}

export const UNKNOWN: Identity = {
  strength: 'unknown',
  name: undefined,
  guest: [],
  agent: undefined,
}

export const claimed = (name: string): Identity => ({ ...UNKNOWN, strength: 'claimed', name })

/** Spells an identity for the log and for the site: `verified googlebot`, `claimed bingbot`, `unknown`. */
export const wordsOf = ({ strength, name }: Identity): string =>
  name === undefined ? strength : `${strength} ${name}`
