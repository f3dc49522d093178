import { indexBound, SAMPLES } from '../../src/work/s32.ts'
import type { Sample } from '../../src/work/spell-solution.ts'
import type { Chunk } from './units.ts'

/** Units of a chunk: about 2 ms of work on a laptop. docs/design/work.md, "In the browser" */
const CHUNK = 256

/** Hands out the units of a challenge and collects the hits, in any order. */
export function tally(n: number) {
  const target = Math.min(n, SAMPLES)
  const bound = indexBound(n)
  const unfinished: Chunk[] = []
  /** Hits of chunks that wait for an earlier one, by the first unit of the chunk. */
  const early = new Map<number, readonly Sample[]>()
  /** Hits of all units before `firstOpen`, in index order. */
  const hitsInOrder: Sample[] = []
  let firstOpen = 0
  let nextUnit = 0
  let hitCount = 0

  return {
    /** Returns the next chunk; undefined when all have been handed out. */
    nextChunk(): Chunk | undefined {
      const again = unfinished.pop()
      if (again) return again
      if (nextUnit >= bound) return undefined
      const chunk = { from: nextUnit, to: Math.min(nextUnit + CHUNK, bound) }
      nextUnit = chunk.to
      return chunk
    },
    /** Takes back a chunk that was not finished. */
    giveBack: (chunk: Chunk): void => void unfinished.push(chunk),
    noteHits(chunk: Chunk, hits: readonly Sample[]): void {
      hitCount += hits.length
      early.set(chunk.from, hits)
      for (let next = early.get(firstOpen); next; next = early.get(firstOpen)) {
        early.delete(firstOpen)
        hitsInOrder.push(...next)
        firstOpen = Math.min(firstOpen + CHUNK, bound)
      }
    },
    /** 0 to 1. */
    shareDone: () => Math.min(1, hitCount / target),
    /** The first hits in index order, as soon as they are known. */
    result: () => (hitsInOrder.length >= target ? hitsInOrder.slice(0, target) : undefined),
    /** A part of them, at least a quarter. docs/design/work.md, "Work in part" */
    part: () => (hitsInOrder.length >= target / 4 ? hitsInOrder.slice(0, target) : undefined),
  }
}
