import { describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  checkProof,
  PROOF_TASKS,
  type ProofFacts,
  proofVersion,
  putProof,
  rightAnswers,
} from '../../../src/proof/proof.ts'
import { MODEL, RULES } from '../../../src/score/rules.ts'
import { scoreVisit } from '../../../src/score/score.ts'
import type { WireProof } from '../../../src/wire.ts'
import { PERSON } from '../../support/visitor.ts'
import { proofSets } from '../../support/proof/sets.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const seedOf = (name: string): Buffer => createHash('sha256').update(name).digest()
interface Vectors {
  readonly vectors: readonly {
    readonly seed: string
    readonly proof: WireProof
    readonly answers: number[][]
  }[]
}
const { vectors } = JSON.parse(
  readFileSync(new URL('../../vectors/proof.json', import.meta.url), 'utf8'),
) as Vectors

test.each(vectors)(
  'seed $seed makes the tasks and answers of the vectors: cached widgets still read them',
  (vector) => {
    const seed = Buffer.from(vector.seed, 'hex')
    expect(putProof(seed, 1)).toEqual(vector.proof)
    expect(rightAnswers(seed)).toEqual(vector.answers)
  },
)

// What the vectors show of a few seeds, for many: each kind of task in all its shapes. A change needs a new version.
test('three hundred seeds make the pinned tasks and answers of version 1', () => {
  const made = createHash('sha256').update(JSON.stringify(proofSets('released', 300)))
  expect(made.digest('hex')).toBe(
    '72dbd2859149e99062cbffb4276a31ff260193cbb6ce4603e4234d24b6992d74',
  )
})

const seed = seedOf('checking')
const right = rightAnswers(seed)
const altered = (change: (answers: number[][]) => void): number[][] => {
  const answers = right.map((list) => [...list])
  change(answers)
  return answers
}

test.each<[string, readonly (readonly number[])[] | undefined, ProofFacts]>([
  ['no answers', undefined, { is: 'missing' }],
  ['the right ones', right, { is: 'answered', wrong: 0 }],
  ['an empty list', [], { is: 'answered', wrong: PROOF_TASKS }],
  ['empty lists', right.map(() => []), { is: 'answered', wrong: PROOF_TASKS }],
  ['zeros', right.map((list) => list.map(() => 0)), { is: 'answered', wrong: PROOF_TASKS }],
  ['one number one off', altered((answers) => answers[1]![0]!++), { is: 'answered', wrong: 1 }],
  ['one number too many', altered((answers) => answers[0]!.push(0)), { is: 'answered', wrong: 1 }],
  ['one number too few', altered((answers) => answers[2]!.pop()), { is: 'answered', wrong: 1 }],
  ['two lists exchanged', [right[1]!, right[0]!, ...right.slice(2)], { is: 'answered', wrong: 2 }],
  ['the last missing', right.slice(0, -1), { is: 'answered', wrong: 1 }],
  ['more lists than tasks', [...right, [1]], { is: 'answered', wrong: 0 }],
  [
    'those of another challenge',
    rightAnswers(seedOf('another')),
    { is: 'answered', wrong: PROOF_TASKS },
  ],
])('checking %s', (_what, answers, facts) => {
  expect(checkProof(seed, answers)).toEqual(facts)
})

test('a widget is asked for the newest version that both support', () => {
  expect([undefined, 0, 1, 2, 9999].map(proofVersion)).toEqual([undefined, undefined, 1, 1, 1])
})

describe('the score', () => {
  const facts = {
    signals: PERSON as never,
    request: { ...CHROMIUM_REQUEST, clientHints: undefined },
    units: 256,
  }
  const scoreWith = (proof: ProofFacts): number => scoreVisit({ ...facts, proof }).score

  test('of perfect signals is below 0.3 without the proof, and above 0.5 with at most one wrong task', () => {
    expect(scoreWith({ is: 'answered', wrong: 0 })).toBeGreaterThanOrEqual(0.5)
    for (const proof of [{ is: 'missing' }, { is: 'unasked' }] as const)
      expect(scoreWith(proof)).toBeLessThan(0.3)
    expect(scoreWith({ is: 'answered', wrong: 1 })).toBeGreaterThanOrEqual(0.5)
    for (let wrong = 2; wrong <= PROOF_TASKS; wrong++)
      expect(scoreWith({ is: 'answered', wrong })).toBeLessThan(0.3)
  })

  test('cannot exceed 0.4 without the proof, whatever the other signals', () => {
    const others = Object.entries(MODEL.bounds).filter(([family]) => family !== 'automation')
    const best = others.reduce((sum, [, [, most]]) => sum + most, MODEL.base as number)
    for (const name of ['proof-missing', 'proof-wrong']) {
      const { weight, family } = RULES.find((rule) => rule.name === name)!
      expect(family).toBe('automation')
      // No rule of the family has a positive weight, so nothing is lost.
      expect(RULES.filter((rule) => rule.family === family && rule.weight > 0)).toEqual([])
      expect(MODEL.bounds.automation[0]).toBeLessThanOrEqual(weight)
      expect(1 / (1 + Math.exp(-(best + weight)))).toBeLessThan(0.4)
    }
  })
})
