import { beforeAll, describe, expect, test } from '@jest/globals'
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
import type { WireProof, WireProofTask } from '../../../src/wire.ts'
import { PERSON } from '../../support/visitor.ts'
import { type ProofSet, proofSets } from '../../support/proof/sets.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const seedOf = (name: string): Buffer => createHash('sha256').update(name).digest()
/** The kind of a task, by what stands in it. */
function kindOf([kind, written]: WireProofTask): string {
  if (kind === 'path') return kind
  const text = JSON.stringify(written)
  return text.includes('display:grid') ? 'grid' : text.includes('inline-block') ? 'wrap' : 'flow'
}
const mutable = (answers: readonly (readonly number[])[]): number[][] => answers.map((list) => [...list])

interface Vectors {
  readonly vectors: readonly { readonly seed: string; readonly proof: WireProof; readonly answers: number[][] }[]
}
const { vectors } = JSON.parse(readFileSync(new URL('../../vectors/proof.json', import.meta.url), 'utf8')) as Vectors

test.each(vectors)(
  'seed $seed makes the tasks and answers of the vectors: cached widgets still read them',
  (vector) => {
    const seed = Buffer.from(vector.seed, 'hex')
    expect(putProof(seed, 1)).toEqual(vector.proof)
    expect(rightAnswers(seed)).toEqual(vector.answers)
  },
)

// What the vectors show of a few seeds, for many: each kind of task in all its shapes. A change needs a new version.
test('three hundred seeds make the tasks and answers that they made when version 1 was released', () => {
  const made = createHash('sha256').update(JSON.stringify(proofSets('released', 300)))
  expect(made.digest('hex')).toBe('72dbd2859149e99062cbffb4276a31ff260193cbb6ce4603e4234d24b6992d74')
})

describe('the tasks', () => {
  let sets: readonly ProofSet[]
  beforeAll(() => {
    sets = proofSets('shape', 2000)
  })

  test('are three of four kinds: any three, none of them twice', () => {
    const mixes = new Map<string, number>()
    for (const { proof, right } of sets) {
      expect([proof.tasks.length, right.length]).toEqual([PROOF_TASKS, PROOF_TASKS])
      const mix = proof.tasks.map(kindOf).sort().join()
      mixes.set(mix, (mixes.get(mix) ?? 0) + 1)
    }
    expect([...mixes.keys()].sort()).toEqual(['flow,grid,path', 'flow,grid,wrap', 'flow,path,wrap', 'grid,path,wrap'])
    expect(Math.min(...mixes.values())).toBeGreaterThan(400)
  })

  test('are 1.4 kB on average, 2 at the most; their answers under 150 bytes', () => {
    const sizes = sets.map(({ proof }) => JSON.stringify(proof).length)
    expect(sizes.reduce((a, b) => a + b) / sizes.length).toBeLessThan(1400)
    expect(Math.max(...sizes)).toBeLessThan(2000)
    expect(Math.max(...sets.map(({ right }) => JSON.stringify(right).length))).toBeLessThan(150)
  })

  test('a layout answer is no number that stands in the task', () => {
    // Half of the numbers could be read off; nobody gets a whole list of twelve that way.
    const copied = sets.flatMap(({ proof, right }) =>
      proof.tasks.filter((task, i) => {
        const written = JSON.stringify(task[1])
        return task[0] === 'box' && right[i]!.every((value) => new RegExp(`(?<!\\d)${Math.abs(value)}px`).test(written))
      }),
    )
    expect(copied).toEqual([])
  })
})

describe('checking', () => {
  const seed = seedOf('checking')
  const right = rightAnswers(seed)
  const altered = (change: (answers: number[][]) => void): number[][] => {
    const answers = mutable(right)
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
    ['those of another challenge', rightAnswers(seedOf('another')), { is: 'answered', wrong: PROOF_TASKS }],
  ])('%s', (_what, answers, facts) => {
    expect(checkProof(seed, answers)).toEqual(facts)
  })
})

test.each([
  [undefined, undefined],
  [0, undefined],
  [1, 1],
  [2, 1],
  [9999, 1],
])('a widget that knows %p is asked for %p', (known, asked) => {
  expect(proofVersion(known)).toBe(asked)
})

describe('the score', () => {
  const facts = { signals: PERSON as never, request: { ...CHROMIUM_REQUEST, clientHints: undefined }, units: 256 }
  const scoreWith = (proof: ProofFacts): number => scoreVisit({ ...facts, proof }).score

  test('of a perfect summary falls below 0.5 without the proof, and stands with it', () => {
    expect(scoreWith({ is: 'answered', wrong: 0 })).toBeGreaterThanOrEqual(0.5)
    for (const proof of [{ is: 'missing' }, { is: 'unasked' }] as const) expect(scoreWith(proof)).toBeLessThan(0.3)
    for (let wrong = 2; wrong <= PROOF_TASKS; wrong++) expect(scoreWith({ is: 'answered', wrong })).toBeLessThan(0.3)
  })

  test('of a person whose engine gets one task wrong is lower, and still passes', () => {
    const score = scoreWith({ is: 'answered', wrong: 1 })
    expect(score).toBeLessThan(scoreWith({ is: 'answered', wrong: 0 }))
    expect(score).toBeGreaterThanOrEqual(0.5)
  })

  test('cannot be raised over 0.4 by whatever else a summary says: the bounds add up to less', () => {
    const others = Object.entries(MODEL.bounds).filter(([family]) => family !== 'automation')
    const best = others.reduce((sum, [, [, most]]) => sum + most, MODEL.base as number)
    for (const name of ['proof-missing', 'proof-wrong']) {
      const { weight, family } = RULES.find((rule) => rule.name === name)!
      expect(family).toBe('automation')
      // Nothing in the family speaks for anybody, so nothing takes from it.
      expect(RULES.filter((rule) => rule.family === family && rule.weight > 0)).toEqual([])
      expect(MODEL.bounds.automation[0]).toBeLessThanOrEqual(weight)
      expect(1 / (1 + Math.exp(-(best + weight)))).toBeLessThan(0.4)
    }
  })
})
