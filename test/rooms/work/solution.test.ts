/** A solution: how it is read, and which of its samples are checked. Both algorithms spell it alike. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Pow, STEPS } from '../../../src/work/pow.ts'
import { checkPbSolution, pbUnit } from '../../../src/work/pb.ts'
import { hitThreshold, indexBound, prepare, tagOf, unit } from '../../../src/work/s32.ts'
import {
  checkSolution,
  parseSolution,
  partDone,
  pickPositions,
  powKey,
} from '../../../src/work/solution.ts'
import { type Sample, spellSolution } from '../../../src/work/spell-solution.ts'
import { work } from '../../support/visitor.ts'

const short = { a: 's32.1', s: STEPS, n: 256, b: 4000 } as const
const long = { a: 's32.1', s: STEPS, n: 4608, b: 4000 } as const
// Fewer iterations, so that the test takes less time.
const pbShort = { a: 'pb.1', s: 20, n: 128, b: 4000 } as const
const pbLong = { a: 'pb.1', s: 20, n: 1536, b: 4000 } as const
const token = 'a.challenge.token'
const solutions = new Map([short, long, pbShort, pbLong].map((pow) => [pow.n, work(token, pow)]))

const check = async (
  pow: Pow,
  samples: readonly Sample[],
  at: readonly [number, number],
  challenge = token,
) => (pow.a === 'pb.1' ? checkPbSolution : checkSolution)(powKey(challenge), pow, samples, at)
function outputOf({ a, s }: Pow, index: number): Promise<number> | number {
  const key = powKey(token)
  if (a === 'pb.1') return pbUnit(key, index, s)
  prepare(key, s)
  return unit(key, index, s)
}

/** A sample behind the last that a solution can have. */
const oneMore = (n: number) => ({ index: n > 512 ? 6700 : n, tag: 7 })

describe.each([short, long, pbShort, pbLong])('a solution of $n units of $a', (pow) => {
  const genuine = solutions.get(pow.n)!
  const samples = parseSolution(genuine, pow.n)!

  test('is read as it was written', () => {
    expect(samples).toHaveLength(Math.min(pow.n, 512))
    expect(spellSolution(pow.n, samples)).toBe(genuine)
  })

  test('passes at every position', async () => {
    for (let i = 0; i + 1 < samples.length; i += 37)
      expect(await check(pow, samples, [i, i + 1])).toBe(true)
  })

  test('fails where a tag is wrong, and only there', async () => {
    const altered = samples.map((sample, i) =>
      i === 5 ? { ...sample, tag: sample.tag ^ 1 } : sample,
    )
    expect(await check(pow, altered, [5, 9])).toBe(false)
    expect(await check(pow, altered, [9, 5])).toBe(false)
    expect(await check(pow, altered, [4, 6])).toBe(true)
  })

  test('fails for another challenge, another number of steps, and a position that is not there', async () => {
    expect(await check(pow, samples, [0, 1], `${token}x`)).toBe(false)
    expect(await check({ ...pow, s: pow.s - 1 }, samples, [0, 1])).toBe(false)
    expect(await check(pow, samples, [0, samples.length])).toBe(false)
  })

  test.each([
    {
      when: 'it is less than a quarter',
      text: spellSolution(pow.n, samples.slice(0, samples.length / 4 - 1)),
    },
    {
      when: 'it has a sample more than all',
      text: spellSolution(pow.n, [...samples, oneMore(pow.n)]),
    },
  ])('is refused when $when', ({ text }) => {
    expect(parseSolution(text, pow.n)).toBeUndefined()
  })
})

test.each([short, long])(
  'a part of a solution of $n units is read, and counts for what it is',
  ({ n }) => {
    const samples = parseSolution(solutions.get(n)!, n)!
    for (const share of [1 / 4, 1 / 2, 0.99]) {
      const first = samples.slice(0, Math.ceil(samples.length * share))
      const read = parseSolution(spellSolution(n, first), n)!
      expect(read).toEqual(first)
      expect(partDone(read, n)).toBeCloseTo(share, 2)
    }
  },
)

describe('hits of a long solution', () => {
  const hit = (delta: number[], tag = [1, 2]) => [...delta, ...tag]
  const rest = (n: number) => Array.from({ length: n }, () => hit([0])).flat()
  const text = (...hits: number[][]) => Buffer.from(hits.flat()).toString('base64url')

  test('are read, and written, with their indices from 0 on', () => {
    const spelled = text(hit([0]), hit([0x80, 0x01]), hit([0x7f]), rest(509))
    const samples = parseSolution(spelled, 4608)!
    expect(samples.slice(0, 4)).toEqual([
      { index: 0, tag: 0x0201 },
      { index: 129, tag: 0x0201 },
      { index: 257, tag: 0x0201 },
      { index: 258, tag: 0x0201 },
    ])
    expect(spellSolution(4608, samples)).toBe(spelled)
  })

  test.each([
    { when: 'a number is not in its shortest form', solution: text(hit([0x81, 0x00]), rest(511)) },
    {
      when: 'a number takes more than three bytes',
      solution: text(hit([0x80, 0x80, 0x80, 0x01]), rest(511)),
    },
    { when: 'an index reaches the bound', solution: text(hit([0x80, 0x36]), rest(511)) },
    { when: 'the last number has no end', solution: text(rest(511), [0x80]) },
    { when: 'the last tag is cut', solution: text(rest(511), [0, 1]) },
  ])('are refused when $when', ({ solution }) => {
    expect(parseSolution(solution, 4608)).toBeUndefined()
  })
})

test.each([long, pbLong])(
  'an output of $a over the threshold is no hit, though its tag is right',
  async (pow) => {
    let index = 0
    while ((await outputOf(pow, index)) <= hitThreshold(pow.n)) index++
    const miss = { index, tag: tagOf(await outputOf(pow, index)) }
    const genuine = parseSolution(solutions.get(pow.n)!, pow.n)!
    expect(await check(pow, [miss, ...genuine.slice(1)], [0, 1])).toBe(false)
  },
)

test.each([
  { pow: { ...long, n: 423_757 }, index: 16_498 },
  { pow: { ...pbLong, n: 3679 }, index: 205_528 },
])('an output of $pow.a that equals the threshold is a hit', async ({ pow, index }) => {
  const output = await outputOf(pow, index)
  expect(output).toBe(hitThreshold(pow.n))
  expect(await check(pow, [{ index, tag: tagOf(output) }], [0, 0])).toBe(true)
})

test('an index is below its bound, and a number may take three bytes', () => {
  const units = 589_824
  const bound = indexBound(units)
  const varint = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >> 7)])
  const hits = (first: number): string =>
    Buffer.from([
      ...varint(first),
      1,
      2,
      ...Array.from({ length: 511 }, () => [0, 1, 2]).flat(),
    ]).toString('base64url')
  expect(varint(bound - 512)).toHaveLength(3)
  expect(parseSolution(hits(bound - 512), units)?.at(-1)).toEqual({ index: bound - 1, tag: 0x0201 })
  expect(parseSolution(hits(bound - 511), units)).toBeUndefined()
})

test('any text is read or refused, and none throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3500 }), fc.integer({ min: 2, max: 100_000 }), (text, n) => {
      const samples = parseSolution(text, n)
      return samples === undefined || spellSolution(n, samples) === text
    }),
  )
})

test('two different positions are picked, and all occur', () => {
  const seen = new Set<number>()
  for (let i = 0; i < 2000; i++) {
    const [a, b] = pickPositions(randomBytes(32), 64)
    expect(a).not.toBe(b)
    seen.add(a).add(b)
  }
  expect([...seen].sort((x, y) => x - y)).toEqual(Array.from({ length: 64 }, (_, i) => i))
})
