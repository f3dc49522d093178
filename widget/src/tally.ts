import { indexBound, SAMPLES } from '../../src/work/s32.ts'
import type { Sample } from '../../src/work/spell-solution.ts'
import type { Chunk } from './units.ts'

/** Units of a chunk: about 2 ms of work on a laptop. docs/design/work.md, "In the browser" */
const CHUNK = 256

/** Hands out the units of a challenge and collects the hits, in any order. */
export function tally(n: number) {
  const target = Math.min(n, SAMPLES)
  const bound = indexBound(n)
  const returned: Chunk[] = []
  const waiting = new Map<number, readonly Sample[]>()
  const first: Sample[] = []
  let handedOut = 0
  let joined = 0
  let hitCount = 0

  return {
    /** Returns the next chunk; undefined when all have been handed out. */
    take(): Chunk | undefined {
      const again = returned.pop()
      if (again) return again
      if (handedOut >= bound) return undefined
      const chunk = { from: handedOut, to: Math.min(handedOut + CHUNK, bound) }
      handedOut = chunk.to
      return chunk
    },
    /** Takes back a chunk that was not finished. */
    giveBack: (chunk: Chunk): void => void returned.push(chunk),
    put(chunk: Chunk, hits: readonly Sample[]): void {
      hitCount += hits.length
      waiting.set(chunk.from, hits)
      for (let following = waiting.get(joined); following; following = waiting.get(joined)) {
        waiting.delete(joined)
        first.push(...following)
        joined = Math.min(joined + CHUNK, bound)
      }
    },
    /** 0 to 1. */
    progress: () => Math.min(1, hitCount / target),
    /** The first hits in index order, as soon as they are known. */
    result: () => (first.length >= target ? first.slice(0, target) : undefined),
    /** A part of them, at least a quarter. docs/design/work.md, "Work in part" */
    part: () => (first.length >= target / 4 ? first.slice(0, target) : undefined),
  }
}
