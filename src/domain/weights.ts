/** Families of the rules of the score; each is clipped to its bounds. */
export const SCORE_FAMILIES = ['work', 'automation', 'input', 'page', 'request', 'step'] as const
export type Family = (typeof SCORE_FAMILIES)[number]

export type Bounds = Readonly<Record<Family, readonly [least: number, most: number]>>

/** The weights of a visit: the model, as a site's operator changed it. Log-odds throughout. */
export interface Weights {
  readonly base: number
  readonly bounds: Bounds
  /** By the rule's number; 0: switched off. */
  readonly of: ReadonlyMap<number, number>
  /** A hash of the changes, as 8 hexadecimal digits; empty: nothing. Equal changes have equal hashes, however written. */
  readonly hash: string
}
