import { createHash } from 'node:crypto'
import { putProof, rightAnswers } from '../../../src/proof/proof.ts'
import type { WireProof } from '../../../src/wire.ts'

export interface ProofSet {
  readonly seed: string
  readonly proof: WireProof
  readonly right: readonly (readonly number[])[]
}

/** So many sets of tasks; the same name gives the same ones, so that a failure can be looked at again. */
export function proofSets(name: string, count: number): ProofSet[] {
  return Array.from({ length: count }, (_, i) => {
    const seed = createHash('sha256').update(`${name} ${i}`).digest()
    return { seed: seed.toString('hex'), proof: putProof(seed, 1), right: rightAnswers(seed) }
  })
}

/** Every task that was answered otherwise, with what was expected; empty when all are right. */
export function wrongTasks(
  sets: readonly ProofSet[],
  answers: readonly (readonly (readonly number[])[] | null)[],
) {
  return sets.flatMap(({ proof, right }, i) =>
    proof.tasks.flatMap((task, t) =>
      JSON.stringify(answers[i]?.[t]) === JSON.stringify(right[t])
        ? []
        : [{ task, right: right[t], got: answers[i]?.[t] }],
    ),
  )
}
