/** One unit of each algorithm, as test/vectors has it: docs/design/work.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { powAt, STEPS, unitsAtLevel } from '../../../src/work/pow.ts'
import { pbUnit } from '../../../src/work/pb.ts'
import { hitThreshold, indexBound, prepare, tagOf, unit } from '../../../src/work/s32.ts'
import { hitsOfPb } from '../../../widget/src/units.ts'

interface Vectors {
  /** Of each unit. */
  steps: number
  iterations: number
  /** Their indices; each case has an output of each. */
  units: number[]
  cases: { name: string; keyHex: string; outputs: number[] }[]
}
const vectorsOf = (algorithm: string) =>
  JSON.parse(
    readFileSync(new URL(`../../vectors/${algorithm}.json`, import.meta.url), 'utf8'),
  ) as Vectors
const [s32, pb] = [vectorsOf('s32'), vectorsOf('pb')]
function keyOf(hex: string): Int32Array {
  const bytes = Buffer.from(hex, 'hex')
  return Int32Array.from({ length: 8 }, (_, i) => bytes.readInt32LE(i * 4))
}

test.each(s32.cases)('units of s32.1 for the key $name', ({ keyHex, outputs }) => {
  const key = keyOf(keyHex)
  prepare(key, s32.steps)
  expect(s32.units.map((index) => unit(key, index, s32.steps))).toEqual(outputs)
})

test.each(pb.cases)(
  'units of pb.1 for the key $name, in the service and the widget',
  async ({ keyHex, outputs }) => {
    const key = keyOf(keyHex)
    for (const [i, index] of pb.units.entries()) {
      const output = outputs[i]!
      const hits = (threshold: number) =>
        hitsOfPb(
          { key, steps: pb.iterations, threshold, isPb: true, mayAsk: false },
          { from: index, to: index + 1 },
        )
      expect(await pbUnit(key, index, pb.iterations)).toBe(output)
      expect(await hits(output)).toEqual([{ index, tag: tagOf(output) }])
      expect(await hits(output - 1)).toEqual([])
    }
  },
)

test('every output of a short challenge is handed in, and about 512 of a long one', () => {
  expect([256, 512].map(hitThreshold)).toEqual([0xffffffff, 0xffffffff])
  expect(hitThreshold(3072)).toBe(Math.floor((2 ** 32 * 512) / 3072) - 1)
  expect([256, 512, 3072].map(indexBound)).toEqual([256, 512, 4608])
})

test('a level of s32.1 is units of 1,024 steps', () => {
  const levels = [0, 1, 1.5, 2, 3, 4.5, 8]
  const units = [1536, 4608, 6912, 9216, 18_432, 52_134, 589_824]
  expect(levels.map((level) => powAt(level, 's32.1', 4000))).toEqual(
    units.map((n) => ({ a: 's32.1', s: STEPS, n, b: 4000 })),
  )
})

test('a level of pb.1 is units of 2,000 iterations, each for twelve of s32.1, which take no less time', () => {
  const levels = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  const units = [128, 384, 768, 1536, 3072, 6144, 12_288, 24_576, 49_152]
  expect(levels.map((level) => powAt(level, 'pb.1', 4000))).toEqual(
    units.map((n) => ({ a: 'pb.1', s: 2000, n, b: 4000 })),
  )
  expect(levels.map(unitsAtLevel)).toEqual(units.map((n) => 12 * n))
})
