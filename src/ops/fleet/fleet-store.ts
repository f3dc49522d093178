import type { Scripts } from '../../ports/stores.ts'
/** A process that has published within the last hour. */
export interface Publisher {
  readonly id: string
  /** Unix seconds, by the clock of the store. */
  readonly heardAt: number
  /** How many packets it has published long after their minute. */
  readonly late: number
}

/** Where every process leaves what it counted, so that any of them can show the whole fleet. */
export interface FleetStore {
  /**
   * @param late of this process so far.
   * @returns whether the store knew us already; if not, it has forgotten, and what it had of us is gone.
   * @throws {Error} when there is no answer.
   */
  publish(id: string, late: number, minute: number, packet: string): Promise<boolean>
  publishers(): Promise<{ readonly now: number; readonly publishers: readonly Publisher[] }>
  /** @returns the packets there are, in no order. */
  packets(ids: readonly string[], minutes: readonly number[]): Promise<readonly string[]>
}

/** Seconds that packets are kept: the hour that is shown, and a little. */
export const KEEP = 3900
/** Keys of one question: the answer must not hold up what else waits for this connection. */
const AT_ONCE = 16
/** Nothing waits for this. */
const PATIENCE = { budgetMs: 400, retry: false } as const

/**
 * KEYS: who publishes; the packet. ARGV: id, late, packet, seconds to keep.
 *
 * A text instead of a set of Redis' own, because GET and SET are among the rights that the ledger's user has anyway.
 */
const PUBLISH = `
local now = tonumber(redis.call('TIME')[1])
local known, entries = 0, {ARGV[1] .. ' ' .. now .. ' ' .. ARGV[2]}
for id, at, late in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%S+) (%d+) (%d+)') do
  if id == ARGV[1] then known = 1
  elseif now - at < tonumber(ARGV[4]) and #entries < 64 then entries[#entries + 1] = id .. ' ' .. at .. ' ' .. late end
end
redis.call('SET', KEYS[1], table.concat(entries, ' '), 'EX', ARGV[4])
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[4])
return known
`
const WHO = `return {redis.call('TIME')[1], redis.call('GET', KEYS[1]) or ''}`
const READ = `
local found = {}
for i, key in ipairs(KEYS) do found[i] = redis.call('GET', key) or '' end
return found
`

export function redisFleetStore(scripts: Scripts): FleetStore {
  const prefix = scripts.prefixes[0]!
  const who = `${prefix}f:who`
  const keyOf = (id: string, minute: number): string => `${prefix}f:${id}:${minute}`

  return {
    async publish(id, late, minute, packet) {
      const args = [id, String(late), packet, String(KEEP)]
      return (await scripts.evaluate(PUBLISH, [who, keyOf(id, minute)], args, PATIENCE)) === 1
    },
    async publishers() {
      const [now, text] = (await scripts.evaluate(WHO, [who], [], PATIENCE)) as [string, string]
      const publishers = [...text.matchAll(/(\S+) (\d+) (\d+)/g)].map(([, id, heardAt, late]) => ({
        id: id!,
        heardAt: Number(heardAt),
        late: Number(late),
      }))
      return { now: Number(now), publishers }
    },
    async packets(ids, minutes) {
      const keys = minutes.flatMap((minute) => ids.map((id) => keyOf(id, minute)))
      const found: string[] = []
      for (let i = 0; i < keys.length; i += AT_ONCE) {
        found.push(...((await scripts.evaluate(READ, keys.slice(i, i + AT_ONCE), [], PATIENCE)) as string[]))
      }
      return found.filter(Boolean)
    },
  }
}
