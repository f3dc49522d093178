import type { Dice } from './dice.ts'
import type { Spelling } from './spelling.ts'

/** Boxes to lay out: each its parent's index (−1: the stage) and its declarations; and whose x, y, width, height we ask. */
export type BoxTask = readonly [
  'box',
  readonly (readonly [parent: number, style: string])[],
  readonly number[],
]
/** A drawn path, inside a group with a transform: its length, the point at a distance, the group's box. */
export type PathTask = readonly ['path', d: string, transform: string, at: number]

export type WireProofTask = BoxTask | PathTask

/** The tasks that a challenge sets a browser. Its answers go back in `signals.proof`, a list of whole numbers per task. */
export interface WireProof {
  readonly v: 1
  readonly tasks: readonly WireProofTask[]
}

/**
 * A task whose answer is known because it was made from its answer: first the numbers, then, one of many, a spelling of
 * them that only an engine reads back.
 */
export interface ProofTask {
  readonly expected: readonly number[]
  /** Spells the task. Called when a challenge is issued, since a solution is compared with `expected` alone. */
  put(spell: Spelling): WireProofTask
}

/** One kind of task. */
export type ProofKind = (dice: Dice) => ProofTask

/** A box in whole CSS pixels, from the corner of the stage. */
export type Rect = readonly [x: number, y: number, width: number, height: number]
