import type { Seconds, UnixSeconds } from '../domain/words.ts'
import { type Buckets, sliding } from './sliding.ts'

/*
 * A count-min sketch: how often each cell of behaviour was seen, in fixed memory. Each cell has a counter of eight bits in
 * each of two rows, which it shares with others; the smaller of the two is never less than the truth, so nothing that was
 * seen is forgotten however much is added. The share of others in a counter is known on average and taken off.
 *
 * Cormode and Muthukrishnan, "An improved data stream summary: the count-min sketch and its applications", 2005;
 * Deng and Rafiei, "New estimation algorithms for streaming data: count-min can do more", 2007, for the average.
 */

/** Counters of a row; a power of two. */
export const SKETCH_WIDTH = 2 ** 19
export const SKETCH_ROWS = 2
/** Sketches that the sites are spread over; each takes 1 MiB for ten minutes, and another for the ten before. */
export const SHARDS = 8
/** Bytes of a sketch's counters; the number of cells that were added follows in four bytes more. */
export const COUNTER_BYTES = SKETCH_WIDTH * SKETCH_ROWS

/** Where the counters of a cell lie: one offset for each row. */
export const offsetsOf = ([a, b]: readonly [number, number]): readonly [number, number] => [
  a % SKETCH_WIDTH,
  SKETCH_WIDTH + (b % SKETCH_WIDTH),
]

/** Counters as they were read, after adding. */
export interface SketchRead {
  /** As many as were asked for. */
  readonly counters: readonly Buckets[]
  /** Cells that were added to the sketch in all. */
  readonly total: Buckets
}

/** Cells of behaviour, by where they are counted. */
export interface Cells {
  /** 0 to `SHARDS` − 1. */
  readonly shard: number
  /** As `offsetsOf` puts them, of each cell one for each row. */
  readonly offsets: readonly number[]
}

export interface Sketch {
  /**
   * Adds to the counters, then reads them, in one step.
   *
   * @param add false: only reads.
   * @throws {Error} when there is no answer in time.
   */
  count(cells: Cells, add: boolean, now: UnixSeconds): Promise<SketchRead>
}

/**
 * Estimates how often each cell was seen in the window before this time, from the counters of its two rows.
 *
 * @returns 0 or more for each cell, fractions too.
 */
export function estimates({ counters, total }: SketchRead, now: UnixSeconds, window: Seconds): number[] {
  const average = sliding(total, now, window) / SKETCH_WIDTH
  const values: number[] = []
  for (let i = 0; i < counters.length; i += SKETCH_ROWS) {
    const least = Math.min(sliding(counters[i]!, now, window), sliding(counters[i + 1]!, now, window))
    values.push(Math.max(0, least - 1 - average))
  }
  return values
}
