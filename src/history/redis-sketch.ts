import { HISTORY_WINDOW } from '../domain/history.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { RedisConnection } from '../store/redis.ts'
import { type Cells, COUNTER_BYTES, SKETCH_ROWS, type Sketch, type SketchRead } from './sketch.ts'
import { bucketOf } from './sliding.ts'

/** A lost reply is not asked for again: that would add twice. */
const PATIENCE = { budgetMs: 250, retry: false } as const

/**
 * Adds to the counters of a sketch and reads them.
 *
 * KEYS: the sketch of now and the one before. ARGV: 1 to add, else 0; milliseconds to keep it; the offset of the number of
 * cells, in units of 32 bits; the number of cells; then the offsets of the counters.
 *
 * @returns numbers in one text: cells added to each of the two, then each counter of the first, then of the second.
 */
export const SKETCH_SCRIPT = `
local add, keep_ms, total, cells = ARGV[1] == '1', ARGV[2], '#' .. ARGV[3], ARGV[4]
local change, look = {'OVERFLOW', 'SAT'}, {}
for i = 5, #ARGV do
  local at = '#' .. ARGV[i]
  look[#look + 1] = 'GET'; look[#look + 1] = 'u8'; look[#look + 1] = at
  change[#change + 1] = 'INCRBY'; change[#change + 1] = 'u8'; change[#change + 1] = at; change[#change + 1] = 1
end
local before = redis.call('BITFIELD', KEYS[2], 'GET', 'u32', total, unpack(look))
local now
if add then
  now = redis.call('BITFIELD', KEYS[1], 'OVERFLOW', 'SAT', 'INCRBY', 'u32', total, cells, unpack(change, 3))
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], keep_ms) end
else
  now = redis.call('BITFIELD', KEYS[1], 'GET', 'u32', total, unpack(look))
end
return table.concat(now, ' ') .. ' ' .. table.concat(before, ' ')
`

/** Names the sketches of a shard; decides on their partition. */
export const sketchName = (shard: number): string => `h:k:${shard}`

/** Keys and arguments of `SKETCH_SCRIPT`: `{hv}:h:k:SHARD:BUCKET`. */
export function sketchWords(prefix: string, { shard, offsets }: Cells, add: boolean, now: UnixSeconds) {
  const bucket = bucketOf(now, HISTORY_WINDOW)
  const keepMs = ((bucket + 2) * HISTORY_WINDOW - now) * 1000
  const args = [add ? '1' : '0', String(keepMs), String(COUNTER_BYTES / 4), String(offsets.length / SKETCH_ROWS)]
  for (const offset of offsets) args.push(String(offset))
  return { keys: [bucket, bucket - 1].map((each) => `${prefix}${sketchName(shard)}:${each}`), args }
}

/** @param answer of `SKETCH_SCRIPT`. */
export function readSketch(answer: string, { offsets }: Cells): SketchRead {
  const numbers = answer.split(' ').map(Number)
  const half = offsets.length + 1
  return {
    total: { current: numbers[0]!, previous: numbers[half]! },
    counters: offsets.map((_, i) => ({ current: numbers[i + 1]!, previous: numbers[half + i + 1]! })),
  }
}

/** The sketches of many processes. */
export function redisSketch(store: RedisConnection): Sketch {
  const sketch = store.script('hvSketch', SKETCH_SCRIPT, 2)
  return {
    async count(cells, add, now) {
      const { keys, args } = sketchWords(store.prefixFor(sketchName(cells.shard)), cells, add, now)
      return readSketch((await sketch(keys, args, PATIENCE)) as string, cells)
    },
  }
}
