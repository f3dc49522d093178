import type { RedisConnection } from '../store/redis.ts'
import { bucketOf } from './sliding.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { type Bump, type Counted, type Counters, MOST_FIELDS } from './counters.ts'
import { COUNT_SCRIPT } from './script.ts'

/** Less than the limiter's 350 ms: a request that waits for history would rather do without. A lost reply is not asked for again. */
const PATIENCE = { budgetMs: 250, retry: false } as const

/** The counts of many processes, in hashes that end by themselves: `{hv}:h:SUBJECT:BUCKET`. */
export function redisCounters(store: RedisConnection): Counters {
  const countAll = store.script('hvCount', COUNT_SCRIPT)
  async function ask(prefix: string, bumps: readonly Bump[], now: UnixSeconds): Promise<readonly Counted[]> {
    const { keys, args } = countWords(prefix, bumps, now)
    return read(await countAll(keys, args, PATIENCE), bumps)
  }

  /** The partition in which all of the bumps lie; undefined: they lie in more than one, or there are none. */
  function prefixOf(bumps: readonly Bump[]): string | undefined {
    const prefix = bumps[0] && store.prefixFor(bumps[0].place)
    return bumps.every(({ place }) => store.prefixFor(place) === prefix) ? prefix : undefined
  }

  /** One call for each place. */
  async function askEach(bumps: readonly Bump[], now: UnixSeconds): Promise<readonly Counted[]> {
    const byPrefix = new Map<string, Bump[]>()
    for (const bump of bumps) {
      const prefix = store.prefixFor(bump.place)
      const those = byPrefix.get(prefix)
      if (those) those.push(bump)
      else byPrefix.set(prefix, [bump])
    }
    const requests = [...byPrefix].map(async ([prefix, those]) => {
      const counts = await ask(prefix, those, now)
      return those.map((bump, i) => [bump, counts[i]!] as const)
    })
    const byBump = new Map((await Promise.all(requests)).flat())
    return bumps.map((bump) => byBump.get(bump)!)
  }

  return {
    async count(bumps, now) {
      const prefix = prefixOf(bumps)
      return prefix === undefined ? askEach(bumps, now) : ask(prefix, bumps, now)
    },
  }
}

/** Keys and arguments of `COUNT_SCRIPT`. */
function countWords(prefix: string, bumps: readonly Bump[], now: UnixSeconds) {
  const keys: string[] = []
  const args = [String(MOST_FIELDS)]
  for (const bump of bumps) {
    const number = bucketOf(now, bump.bucket)
    keys.push(`${prefix}h:${bump.subject}:${number}`, `${prefix}h:${bump.subject}:${number - 1}`)
    args.push(wordsOf(bump, now))
  }
  return { keys, args }
}

function wordsOf({ bucket, add, read: fields, keep, busy, once, follows, upTo }: Bump, now: UnixSeconds): string {
  const left = (bucketOf(now, bucket) + 2) * bucket - now
  let pairs = ''
  for (const [field, by] of add) pairs += ` ${field} ${by}`
  const keepMs = Math.min(keep, left) * 1000
  const limits = busy ? `${busy.above} ${Math.min(busy.keep, left) * 1000}` : `0 ${keepMs}`
  const mark = follows ? `=${upTo ?? ''}` : (once ?? '-')
  return `${keepMs} ${limits} ${mark} ${add.length}${pairs} ${fields.join(' ')}`
}

function read(answer: unknown, bumps: readonly Bump[]): readonly Counted[] {
  const numbers = (answer as string).split(' ')
  let at = 0
  return bumps.map((bump) => ({
    first: numbers[at++] === '1',
    values: bump.read.map(() => ({ current: Number(numbers[at++]), previous: Number(numbers[at++]) })),
  }))
}
