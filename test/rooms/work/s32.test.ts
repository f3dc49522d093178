import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { hitThreshold, indexBound, prepare, unit } from '../../../src/work/s32.ts'

interface Vectors {
  steps: number
  cases: { name: string; keyHex: string; units: { unit: number; output: string }[] }[]
}
const vectors = JSON.parse(readFileSync(new URL('../../vectors/s32.json', import.meta.url), 'utf8')) as Vectors

describe('the unit of work puts out what the vectors say', () => {
  test.each(vectors.cases)('for the key $name', ({ keyHex, units }) => {
    const bytes = Buffer.from(keyHex, 'hex')
    const key = Int32Array.from({ length: 8 }, (_, i) => bytes.readInt32LE(i * 4))
    prepare(key, vectors.steps)
    const outputs = units.map((u) => ({
      unit: u.unit,
      output: unit(key, u.unit, vectors.steps).toString(16).padStart(8, '0'),
    }))
    expect(outputs).toEqual(units)
  })
})

test('every output of a short challenge is handed in, and about 512 of a long one', () => {
  expect(hitThreshold(256)).toBe(0xffffffff)
  expect(hitThreshold(512)).toBe(0xffffffff)
  expect(hitThreshold(3072)).toBe(Math.floor((2 ** 32 * 512) / 3072) - 1)
  expect(indexBound(256)).toBe(256)
  expect(indexBound(512)).toBe(512)
  expect(indexBound(3072)).toBe(4608)
})
