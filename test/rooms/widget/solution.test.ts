/** What the widget sends when its time is over. test/browser/core-suite covers whole solutions. */
import { expect, test } from '@jest/globals'
import { SAMPLES } from '../../../src/work/s32.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { type Sample, spellSolution } from '../../../src/work/spell-solution.ts'
import { tally } from '../../../widget/src/tally.ts'

test.each([2048, 20_480])(
  'part of %d units: nothing below a quarter, then the first ones without a gap',
  (n) => {
    const units = tally(n)
    const chunks = Array.from({ length: Math.ceil(n / 256) }, () => units.nextChunk()!)
    const hitsOf = ({ from, to }: { from: number; to: number }): Sample[] =>
      Array.from({ length: to - from }, (_, i) => ({ index: from + i, tag: 1 })).filter(
        ({ index }) => index % (n / SAMPLES) === 0,
      )
    // The worker of the second chunk dies; another takes it.
    units.noteHits(chunks[0]!, hitsOf(chunks[0]!))
    for (const chunk of chunks.slice(2)) units.noteHits(chunk, hitsOf(chunk))
    expect(units.part()).toBeUndefined()
    units.giveBack(chunks[1]!)
    expect(units.nextChunk()).toEqual(chunks[1])
    units.noteHits(chunks[1]!, hitsOf(chunks[1]!))
    const part = units.part()!
    expect(part.length).toBeGreaterThanOrEqual(SAMPLES / 4)
    expect(parseSolution(spellSolution(n, part), n)).toEqual(part)
  },
)

test('hits behind a gap do not count, since an earlier one may still come', () => {
  const units = tally(1024)
  const [first, second] = [units.nextChunk()!, units.nextChunk()!]
  const hits = Array.from({ length: SAMPLES }, (_, i) => ({ index: second.from + i, tag: i }))
  units.noteHits(second, hits)
  expect(units.result()).toBeUndefined()
  units.noteHits(first, [{ index: 3, tag: 7 }])
  expect(units.result()![0]).toEqual({ index: 3, tag: 7 })
  expect(units.result()).toHaveLength(SAMPLES)
})
