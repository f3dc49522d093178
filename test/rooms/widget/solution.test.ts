import { describe, expect, test } from '@jest/globals'
import { hitThreshold, prepare, SAMPLES, tagOf, unit } from '../../../src/work/s32.ts'
import { checkSolution, parseSolution, powKey } from '../../../src/work/solution.ts'
import { type Sample, spellSolution } from '../../../src/work/spell-solution.ts'
import { tally } from '../../../widget/src/tally.ts'

const CHALLENGE = 'eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.c2lnbmF0dXJl'
const bytesOf = (text: string): number[] => [...Buffer.from(text, 'base64url')]

test.each([
  { says: 'the first unit is the distance 0', hits: [{ index: 0, tag: 1 }], bytes: [0, 1, 0] },
  {
    says: 'a neighbour is the distance 0 too',
    hits: [
      { index: 4, tag: 1 },
      { index: 5, tag: 2 },
    ],
    bytes: [4, 1, 0, 0, 2, 0],
  },
  { says: '127 fits one byte', hits: [{ index: 127, tag: 1 }], bytes: [0x7f, 1, 0] },
  { says: '128 takes two', hits: [{ index: 128, tag: 1 }], bytes: [0x80, 0x01, 1, 0] },
  { says: '300 is ac 02', hits: [{ index: 300, tag: 1 }], bytes: [0xac, 0x02, 1, 0] },
  { says: '16384 takes three', hits: [{ index: 16_384, tag: 1 }], bytes: [0x80, 0x80, 0x01, 1, 0] },
])('above 512 units each hit has its distance: $says', ({ hits, bytes }) => {
  expect(bytesOf(spellSolution(3072, hits))).toEqual(bytes)
})

function work(n: number, steps: number): readonly Sample[] {
  prepare(powKey(CHALLENGE), steps)
  const units = tally(n)
  // Chunks come back in the wrong order, as they do from workers, and one is lost and given back.
  const open = [units.take()!, units.take()].flatMap((chunk) => chunk ?? [])
  units.giveBack(open.shift()!)
  while (!units.result()) {
    const chunk = units.take()
    if (chunk) open.push(chunk)
    const last = open.pop()!
    const hits: Sample[] = []
    for (let index = last.from; index < last.to; index++) {
      const output = unit(powKey(CHALLENGE), index, steps)
      if (output <= hitThreshold(n)) hits.push({ index, tag: tagOf(output) })
    }
    units.put(last, hits)
  }
  return units.result()!
}

describe('what the widget hands in is what the server accepts', () => {
  test.each([1, 33, 256, 512, 513, 3072])('%d units', (n) => {
    const key = powKey(CHALLENGE)
    const pow = { a: 's32.1', s: 64, n, b: 4000 } as const
    const hits = work(n, pow.s)
    const text = spellSolution(n, hits)
    expect(parseSolution(text, n)).toEqual(hits)
    expect(checkSolution(key, pow, parseSolution(text, n)!, [0, hits.length - 1])).toBe(true)
  })
})

describe('a part, when the time is over', () => {
  test.each([2048, 20_480])('of %d units: nothing below a quarter, then the first ones without a gap', (n) => {
    const units = tally(n)
    const wanted = Math.min(n, SAMPLES)
    const chunks = Array.from({ length: Math.ceil(n / 256) }, () => units.take()!)
    const hitsOf = ({ from, to }: { from: number; to: number }): Sample[] =>
      Array.from({ length: to - from }, (_, i) => ({ index: from + i, tag: 1 })).filter(
        ({ index }) => index % (n / SAMPLES) === 0,
      )
    // The second chunk never comes back.
    units.put(chunks[0]!, hitsOf(chunks[0]!))
    for (const chunk of chunks.slice(2)) units.put(chunk, hitsOf(chunk))
    expect(units.part()).toBeUndefined()
    units.put(chunks[1]!, hitsOf(chunks[1]!))
    const part = units.part()!
    expect(part.length).toBeGreaterThanOrEqual(wanted / 4)
    expect(parseSolution(spellSolution(n, part), n)).toEqual(part)
  })
})

const hitsFrom = (from: number): Sample[] => Array.from({ length: SAMPLES }, (_, i) => ({ index: from + i, tag: i }))

test('hits behind a gap do not count, since an earlier one may still come', () => {
  const units = tally(1024)
  const first = units.take()!
  const second = units.take()!
  units.put(second, hitsFrom(second.from))
  expect(units.result()).toBeUndefined()
  units.put(first, [{ index: 3, tag: 7 }])
  expect(units.result()![0]).toEqual({ index: 3, tag: 7 })
  expect(units.result()).toHaveLength(SAMPLES)
})
