import { HISTORY_WINDOW } from '../domain/history.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { COUNTER_BYTES, SKETCH_ROWS, type Sketch } from './sketch.ts'
import { bucketOf } from './sliding.ts'

interface Counted {
  readonly counters: Uint8Array
  total: number
}

/** The sketches of one process: a shard takes memory once something is added to it, for twenty minutes. */
export function memorySketch(): Sketch {
  const sketches = new Map<string, Counted>()

  function forgetBefore(bucket: number): void {
    for (const key of sketches.keys()) if (Number(key.split(':')[1]) < bucket) sketches.delete(key)
  }

  function make(key: string, bucket: number): Counted {
    forgetBefore(bucket - 1)
    const sketch = { counters: new Uint8Array(COUNTER_BYTES), total: 0 }
    sketches.set(key, sketch)
    return sketch
  }

  return {
    async count({ shard, offsets }, add, now: UnixSeconds) {
      const bucket = bucketOf(now, HISTORY_WINDOW)
      const key = `${shard}:${bucket}`
      const previous = sketches.get(`${shard}:${bucket - 1}`)
      const current = sketches.get(key) ?? (add ? make(key, bucket) : undefined)
      if (add && current) {
        for (const offset of offsets) current.counters[offset] = Math.min(255, current.counters[offset]! + 1)
        current.total += offsets.length / SKETCH_ROWS
      }
      return {
        counters: offsets.map((offset) => ({
          current: current?.counters[offset] ?? 0,
          previous: previous?.counters[offset] ?? 0,
        })),
        total: { current: current?.total ?? 0, previous: previous?.total ?? 0 },
      }
    },
  }
}
