import { indexBound, SAMPLES } from '../../src/work/s32.ts'
import type { Sample } from '../../src/work/spell-solution.ts'
import type { Chunk } from './units.ts'

/** Units handed out at a time: about 2 ms of work on a laptop. docs/design/work.md, "In the browser". */
const CHUNK = 256

/** Hands out the units of a challenge and collects what comes back, in whatever order. */
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
    /** @returns the next piece of work; undefined when all that may be needed is handed out. */
    take(): Chunk | undefined {
      const again = returned.pop()
      if (again) return again
      if (handedOut >= bound) return undefined
      const chunk = { from: handedOut, to: Math.min(handedOut + CHUNK, bound) }
      handedOut = chunk.to
      return chunk
    },
    /** Takes back a chunk that its worker did not finish. */
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
    /** The hits to hand in, in index order, as soon as they are certain to be the first ones. */
    result: () => (first.length >= target ? first.slice(0, target) : undefined),
    /** The same of a part, once a quarter is done: the least that the service takes. docs/design/work.md, "Work in part". */
    part: () => (first.length >= target / 4 ? first.slice(0, target) : undefined),
  }
}
