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
  /** Keeps the packet of an hour for a week. @param minute in which the hour begins. @throws {Error} when there is no answer. */
  publishHour(id: string, minute: number, packet: string): Promise<void>
  /** @returns the packets of these hours, of all processes, in no order. */
  hours(minutes: readonly number[]): Promise<readonly string[]>
}

/** Seconds that packets are kept: the hour that is shown, and a little. */
export const KEEP = 3900
/** Seconds that packets of hours are kept: the week that is shown, and a little. */
export const KEEP_HOURS = 169 * 3600
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
/**
 * KEYS: who published in this hour; the packet. ARGV: id, packet, seconds to keep.
 *
 * Each hour has a list of its own: a fleet that is deployed ten times a day has more processes in a week than one list holds.
 */
const PUBLISH_HOUR = `
local ids, entries = redis.call('GET', KEYS[1]) or '', 0
for id in string.gmatch(ids, '%S+') do
  if id == ARGV[1] then entries = -64 end
  entries = entries + 1
end
if entries >= 64 then return 0 end
if entries >= 0 then ids = ids .. ' ' .. ARGV[1] end
redis.call('SET', KEYS[1], ids, 'EX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return 1
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
  const whoIn = (minute: number): string => `${prefix}f:h:${minute}`
  const hourKey = (id: string, minute: number): string => `${prefix}f:h:${minute}:${id}`

  /** @returns the text at each key, empty where there is none. */
  async function read(keys: readonly string[]): Promise<string[]> {
    const texts: string[] = []
    for (let i = 0; i < keys.length; i += AT_ONCE) {
      texts.push(...((await scripts.evaluate(READ, keys.slice(i, i + AT_ONCE), [], PATIENCE)) as string[]))
    }
    return texts
  }

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
      return (await read(keys)).filter(Boolean)
    },
    async publishHour(id, minute, packet) {
      const args = [id, packet, String(KEEP_HOURS)]
      await scripts.evaluate(PUBLISH_HOUR, [whoIn(minute), hourKey(id, minute)], args, PATIENCE)
    },
    async hours(minutes) {
      const publishedIn = await read(minutes.map(whoIn))
      const keys = minutes.flatMap((minute, i) =>
        publishedIn[i]!.split(' ')
          .filter(Boolean)
          .map((id) => hourKey(id, minute)),
      )
      return (await read(keys)).filter(Boolean)
    },
  }
}
