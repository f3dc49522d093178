import { proofDice } from './dice.ts'
import { flowTask } from './flow.ts'
import { gridTask } from './grid.ts'
import { pathTask } from './path.ts'
import { spelling } from './spelling.ts'
import type { ProofKind, ProofTask, WireProof } from './task.ts'
import { wrapTask } from './wrap.ts'

/** The versions that are asked for, newest first: a widget names the newest it knows, and gets the newest of these up to it. */
export const PROOF_VERSIONS = [1] as const
export type ProofVersion = (typeof PROOF_VERSIONS)[number]

/** All need layout: a DOM without an engine answers none of them. */
const KINDS: readonly ProofKind[] = [flowTask, gridTask, wrapTask, pathTask]

/** Tasks of one challenge, each of another kind. */
export const PROOF_TASKS = 3

/** The outcome of the proof. */
export type ProofFacts =
  /** The widget named no version that we ask for, so nothing was asked. */
  | { readonly is: 'unasked' }
  | { readonly is: 'missing' }
  /** `wrong`: how many of the tasks; 0 to `PROOF_TASKS`. */
  | { readonly is: 'answered'; readonly wrong: number }

/**
 * The version to ask for.
 *
 * @param newest version the widget knows; undefined: it named none.
 * @returns undefined when there is none that both know.
 */
export function proofVersion(newest: number | undefined): ProofVersion | undefined {
  return PROOF_VERSIONS.find((version) => newest !== undefined && version <= newest)
}

/** The tasks of a challenge, as they are put to the browser. @param seed 32 bytes, derived from the challenge. */
export function putProof(seed: Uint8Array, version: ProofVersion): WireProof {
  const spell = spelling(proofDice(seed, 16))
  return { v: version, tasks: tasksOf(seed).map((task) => task.put(spell)) }
}

/**
 * Judges the answers. Made again from the seed: nothing about a challenge was kept.
 *
 * @param answers a list per task; undefined: there are none.
 */
export function checkProof(
  seed: Uint8Array,
  answers: readonly (readonly number[])[] | undefined,
): ProofFacts {
  if (answers === undefined) return { is: 'missing' }
  const wrong = tasksOf(seed).filter(({ expected }, i) => !isSame(expected, answers[i])).length
  return { is: 'answered', wrong }
}

/** Tasks of several seeds, one set after the other. */
export function putProofs(seeds: readonly Uint8Array[], version: ProofVersion): WireProof {
  return { v: version, tasks: seeds.flatMap((seed) => putProof(seed, version).tasks) }
}

/** The worth of the answers to several sets, in the order of `putProofs`. */
export function checkProofs(
  seeds: readonly Uint8Array[],
  answers: readonly (readonly number[])[] | undefined,
): ProofFacts {
  if (answers === undefined) return { is: 'missing' }
  const facts = seeds.map((seed, i) =>
    checkProof(seed, answers.slice(i * PROOF_TASKS, (i + 1) * PROOF_TASKS)),
  )
  return {
    is: 'answered',
    wrong: facts.reduce((sum, each) => sum + (each.is === 'answered' ? each.wrong : 0), 0),
  }
}

/** The right answers, for tests and vectors. */
export const rightAnswers = (seed: Uint8Array): (readonly number[])[] =>
  tasksOf(seed).map(({ expected }) => expected)

function tasksOf(seed: Uint8Array): ProofTask[] {
  const dice = proofDice(seed, 0)
  const kinds = dice.shuffled(KINDS).slice(0, PROOF_TASKS)
  return kinds.map((kind) => kind(dice))
}

const isSame = (expected: readonly number[], answer: readonly number[] | undefined): boolean =>
  answer?.length === expected.length && expected.every((value, i) => value === answer[i])
