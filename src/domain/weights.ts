/** Families of the rules of the score; each is clipped to its bounds. */
export const SCORE_FAMILIES = ['work', 'automation', 'input', 'page', 'request', 'step'] as const
export type Family = (typeof SCORE_FAMILIES)[number]

export type Bounds = Readonly<Record<Family, readonly [least: number, most: number]>>

/** The weights of a visit: the model with the operator's changes. All values are log-odds. */
export interface Weights {
  readonly base: number
  readonly bounds: Bounds
  /** The weight of each rule, by its number; 0 if it is switched off. */
  readonly byRule: ReadonlyMap<number, number>
  /** A hash of the changes, 8 hexadecimal digits; empty if there are none. Independent of their order and spelling. */
  readonly hash: string
}
