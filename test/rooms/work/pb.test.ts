import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { powAt, unitsAtLevel } from '../../../src/domain/challenge.ts'
import { checkPbSolution, pbUnit } from '../../../src/work/pb.ts'
import { hitThreshold, tagOf } from '../../../src/work/s32.ts'
import { parseSolution, powKey } from '../../../src/work/solution.ts'
import type { Sample } from '../../../src/work/spell-solution.ts'
import { hitsOfPb } from '../../../widget/src/units.ts'
import { work } from '../../support/visitor.ts'

interface Vectors {
  iterations: number
  cases: { name: string; keyHex: string; units: { unit: number; output: string }[] }[]
}
const vectors = JSON.parse(readFileSync(new URL('../../vectors/pb.json', import.meta.url), 'utf8')) as Vectors

const inWidget = (key: Int32Array, steps: number, threshold: number, from: number, to: number) =>
  hitsOfPb({ key, steps, threshold, isPb: true, mayAsk: false }, { from, to })

describe.each(vectors.cases)('a unit of pb.1 puts out what the vectors say, for the key $name', ({ keyHex, units }) => {
  const bytes = Buffer.from(keyHex, 'hex')
  const key = Int32Array.from({ length: 8 }, (_, i) => bytes.readInt32LE(i * 4))
  const hex = (output: number): string => output.toString(16).padStart(8, '0')

  test.each(units)('unit $unit', async ({ unit, output }) => {
    expect(hex(await pbUnit(key, unit, vectors.iterations))).toBe(output)
    const exactly = parseInt(output, 16)
    const hits = (threshold: number) => inWidget(key, vectors.iterations, threshold, unit, unit + 1)
    expect(await hits(exactly)).toEqual([{ index: unit, tag: tagOf(exactly) }])
    expect(await hits(exactly - 1)).toEqual([])
  })
})

test('a level of pb.1 is units of 2,000 iterations, each for twelve of s32.1, which take no less time', () => {
  const levels = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  const units = [128, 384, 768, 1536, 3072, 6144, 12_288, 24_576, 49_152]
  expect(levels.map((level) => powAt(level, 'pb.1', 4000))).toEqual(
    units.map((n) => ({ a: 'pb.1', s: 2000, n, b: 4000 })),
  )
  expect(levels.map(unitsAtLevel)).toEqual(units.map((n) => 12 * n))
})

const token = 'a.challenge.token'
// Fewer iterations, so that the test takes less time; more than 512 units, so that there are hits.
const short = { a: 'pb.1', s: 20, n: 128, b: 4000 } as const
const long = { a: 'pb.1', s: 20, n: 1536, b: 4000 } as const

describe.each([short, long])('a solution of $n units of pb.1', (pow) => {
  let samples: readonly Sample[]
  beforeAll(() => {
    samples = parseSolution(work(token, pow), pow.n)!
  })
  const passes = (change: readonly Sample[], at: [number, number], challenge = token, asked: typeof pow = pow) =>
    checkPbSolution(powKey(challenge), asked, change, at)

  test('passes at every position', async () => {
    for (let i = 0; i + 1 < samples.length; i += 17) expect(await passes(samples, [i, i + 1])).toBe(true)
  })
  test('fails where a tag is wrong, and only there', async () => {
    const altered = samples.map((sample, i) => (i === 5 ? { ...sample, tag: sample.tag ^ 1 } : sample))
    expect(await passes(altered, [5, 9])).toBe(false)
    expect(await passes(altered, [9, 5])).toBe(false)
    expect(await passes(altered, [4, 6])).toBe(true)
  })
})

test('an output over the threshold is no hit, though its tag is right', async () => {
  const key = powKey(token)
  const genuine = parseSolution(work(token, long), long.n)!
  const index = Array.from({ length: 20 }, (_, i) => i).find((i) => !genuine.some((sample) => sample.index === i))!
  const tag = (await pbUnit(key, index, long.s)) & 0xffff
  expect(await checkPbSolution(key, long, [{ index, tag }, ...genuine.slice(1)], [0, 1])).toBe(false)
})

test('an output that is the threshold itself is a hit', async () => {
  const [n, index] = [3679, 205_528]
  const key = powKey(token)
  const output = await pbUnit(key, index, long.s)
  expect(output).toBe(hitThreshold(n))
  expect(await checkPbSolution(key, { ...long, n }, [{ index, tag: tagOf(output) }], [0, 0])).toBe(true)
})
