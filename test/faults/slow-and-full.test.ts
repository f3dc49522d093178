import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import type { TestRedis } from '../support/redis.ts'
import type { Answer, Books } from './books.ts'
import { fault, type Run, type Stand } from './fault.ts'
import { type Instance, startInstance } from './instance.ts'
import { sleep, until } from './moments.ts'
import { onRedis, onWire, startInstances } from './stands.ts'

// Faults in which the store is there and does not do its work: it hangs, is slow, full, loading, or says no.

/** What was asked and answered between two moments. */
const between = ({ answers }: Books, from: number, to: number): readonly Answer[] =>
  answers.filter(({ at, ms }) => at > from && at + ms < to)
const codes = (answers: readonly Answer[]): Set<string> => new Set(answers.map(({ code }) => code))
const statuses = (answers: readonly Answer[]): Set<number> => new Set(answers.map(({ status }) => status))
const longest = (answers: readonly Answer[]): number => Math.max(...answers.map(({ ms }) => ms))
const failed = ({ answers }: Books, since: number): readonly Answer[] =>
  answers.filter(({ at, status }) => at > since && (status === 503 || status === 0))

/** Genuine users of whom somebody took the token away: theirs was answered as used up. */
const robbed = <S extends Stand>({ load }: Run<S>): readonly (Answer | undefined)[] =>
  load.genuine.map(({ answer }) => answer).filter((answer) => answer?.code === 'timeout-or-duplicate')

/** Microseconds for each key, and it goes on answering LOADING meanwhile. */
const SLOW_TO_LOAD =
  '--enable-debug-command yes --key-load-delay 150 --loading-process-events-interval-bytes 1024'.split(' ')

fault({
  id: 'F13',
  what: 'memory is full, with noeviction',
  freshWithin: 3000,
  doubles: false,
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
    const from = performance.now()
    await sleep(2500)
    // The limiter cannot count, while the ledger may still read: which of the two is blamed depends on the moment.
    expect(statuses(between(books, from, performance.now()))).toEqual(new Set([503]))
    await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
  },
})

fault({
  id: 'F16',
  what: 'Redis hangs 10 s',
  freshWithin: 3000,
  doubles: false,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    redis.pause()
    const from = performance.now()
    await sleep(10_000)
    const hung = between(books, from, performance.now())
    redis.resume()
    expect(hung.length).toBeGreaterThan(30)
    expect(statuses(hung)).toEqual(new Set([503]))
  },
  holds({ books, struckAt, backAt }) {
    expect(longest(books.answers.filter(({ at }) => at > struckAt && at < backAt))).toBeLessThanOrEqual(1000)
  },
})

fault({
  id: 'F17',
  what: 'the reply is cut after the write, 20 times',
  freshWithin: 1000,
  doubles: false,
  ci: true,
  load: { users: 2, replayers: 1, pauseMs: 300 },
  stand: onWire,
  async strike({ stand: { wire, instances }, books }) {
    for (let round = 0; round < 20; round++) {
      const { url } = instances[round % 2]!
      const visit = await books.visit(url)
      if (!visit) continue
      wire.cutReplyTo(`:t:${jtiOf(visit.tokens[0]!)}`)
      const answer = await books.spend(visit, url)
      expect(wire.requests()).toBe(2)
      expect(answer.body).toMatchObject({ success: true })
    }
  },
  holds: (run) => expect(robbed(run)).toEqual([]),
})

/** A token's id, which everybody may read. */
const jtiOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti

fault({
  id: 'F18',
  what: 'replies take 200 ms, then 1 s',
  freshWithin: 3000,
  doubles: false,
  stand: onWire,
  async strike({ stand: { wire }, books, load }) {
    wire.delay(200)
    const slowFrom = performance.now()
    // Limiter and ledger are asked in turn, by three requests: a visit takes at least 1.2 s.
    await sleep(5000)
    const slow = load.genuine.filter(({ at }) => at > slowFrom)
    expect(slow.length).toBeGreaterThan(3)
    expect(slow.filter(({ answer }) => answer?.body['success'] !== true)).toEqual([])

    wire.delay(1000)
    const from = performance.now()
    await sleep(4000)
    const late = between(books, from, performance.now())
    expect(statuses(late)).toEqual(new Set([503]))
    expect(longest(late)).toBeLessThanOrEqual(1000)
    wire.delay(0)
  },
})

fault({
  id: 'F20',
  what: 'SCRIPT FLUSH in a loop',
  freshWithin: 1000,
  doubles: false,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    for (const end = performance.now() + 4000; performance.now() < end; await sleep(2))
      await redis.cli('SCRIPT', 'FLUSH')
  },
  holds({ books, load, struckAt }) {
    expect(failed(books, struckAt)).toEqual([])
    expect(load.genuine.filter(({ answer }) => answer?.body['success'] !== true)).toEqual([])
  },
})

fault({
  id: 'F26',
  what: 'the embedded ledger has no room left, in one of two processes',
  freshWithin: 3000,
  doubles: false,
  async stand(ledger, undo): Promise<Stand & { readonly small: Instance }> {
    const small = await startInstance({ ledger: 'small' })
    undo.push(() => small.remove())
    return { small, instances: await startInstances([{ ledger }], undo) }
  },
  async strike({ stand: { small }, books }) {
    // It has room for 100 entries; a visit makes two.
    let refused: Answer | undefined
    for (let i = 0; i < 60 && refused === undefined; i++) {
      const visit = await books.visit(small.url)
      if (visit) await books.spend(visit, small.url)
      refused = books.answers.find(({ url, status }) => url === small.url && status === 503)
    }
    expect(refused).toMatchObject({ code: 'database-unavailable' })
    const inside = books.visits.filter(({ accepted }) => accepted > 0).slice(-20)
    for (const visit of inside) {
      expect(await books.spend(visit, small.url)).toMatchObject({ status: 200, code: 'timeout-or-duplicate' })
    }
    expect(small.crashed()).toBe(false)
  },
})

fault({
  id: 'F27',
  what: 'Redis restarts and loads an older RDB for some seconds',
  freshWithin: 3000,
  doubles: true,
  stand: async (ledger, undo) => ({ ...(await onRedis({ args: SLOW_TO_LOAD })(ledger, undo)), loadsFrom: { at: 0 } }),
  async strike({ stand: { redis, loadsFrom } }) {
    await redis.cli('DEBUG', 'POPULATE', '20000', 'filling', '20')
    await redis.cli('SAVE')
    await sleep(1500)
    await redis.stop()
    await redis.start()
    loadsFrom.at = performance.now()
    await until(async () => !(await isLoading(redis)), 30_000, 'still loading')
  },
  holds({ stand: { loadsFrom }, books, backAt }) {
    expect(backAt - loadsFrom.at).toBeGreaterThan(1500)
    // Only what was surely over before it had loaded.
    const loading = between(books, loadsFrom.at, backAt - 300)
    expect(codes(loading)).toEqual(new Set(['database-unavailable']))
  },
})

async function isLoading({ port }: TestRedis): Promise<boolean> {
  // Without the client's own wait for a server that is ready.
  const client = new Redis({ port, enableReadyCheck: false, protocol: 2, disableClientInfo: true })
  try {
    return (await client.info('persistence')).includes('loading:1')
  } finally {
    client.disconnect()
  }
}

fault({
  id: 'F31',
  what: 'the limiter may not write, then the ledger may not, then both are gone',
  freshWithin: 3000,
  doubles: false,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    // A store that fails for one of the two: the user loses the right to the command that only this one needs.
    for (const { right, code } of [
      { right: 'incrby', code: 'rate-limiter-unavailable' },
      { right: 'hmget', code: 'database-unavailable' },
    ]) {
      await redis.cli('ACL', 'SETUSER', 'default', `-${right}`)
      await sleep(100)
      const from = performance.now()
      await sleep(2000)
      // The generation that an instance has heard is good for 1.5 s more, so some challenges are still given.
      const refused = between(books, from, performance.now()).filter(({ status }) => status !== 200)
      expect(refused.length).toBeGreaterThan(10)
      expect(codes(refused)).toEqual(new Set([code]))
      await redis.cli('ACL', 'SETUSER', 'default', `+${right}`)
      await sleep(500)
    }
    await redis.stop()
    await sleep(100)
    const from = performance.now()
    await sleep(2000)
    expect(codes(between(books, from, performance.now()))).toEqual(new Set(['database-unavailable']))
    await redis.start()
  },
})

fault({
  id: 'F32',
  what: 'the schema is another',
  freshWithin: 3000,
  doubles: false,
  stand: onRedis(),
  async strike({ stand: { redis, instances }, books }) {
    await redis.cli('HSET', '{hv}:gen', 'v', '999')
    await sleep(600)
    const from = performance.now()
    await sleep(1500)
    expect(codes(between(books, from, performance.now()))).toEqual(new Set(['database-schema-outdated']))
    for (const { url } of instances) {
      const health = await fetch(`${url}/health`)
      expect(health.status).toBe(503)
      expect(await health.json()).toEqual({ status: 'unavailable', 'error-codes': ['database-schema-outdated'] })
    }
    await redis.cli('HSET', '{hv}:gen', 'v', '1')
  },
})
