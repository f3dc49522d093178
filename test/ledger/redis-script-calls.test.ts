/** Scripts that are called in one turn leave in few commands, and each call stands for itself: counted by Redis itself. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { scriptCalls } from '../../src/ledger/script-calls.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

let server: TestRedis
let client: Redis
let onlooker: Redis

beforeAll(async () => {
  server = await startRedis()
  client = new Redis(server.url)
  onlooker = new Redis(server.url)
  await Promise.all([client.ping(), onlooker.ping()])
})
afterAll(async () => {
  client.disconnect()
  onlooker.disconnect()
  await server.remove()
})

const ECHO = 'return {KEYS[1], #KEYS, ARGV[1], #ARGV}'
const calls = () => scriptCalls(() => client)

/** How often Redis has read from anybody. */
const readsSoFar = async (): Promise<number> =>
  Number(/total_reads_processed:(\d+)/.exec(await onlooker.info('stats'))![1])

/** How many reads so many calls of one turn take; the server knows the script. */
async function readsOf(count: number, call = calls()): Promise<number> {
  await call(ECHO, [], [])
  const before = await readsSoFar()
  const answers = Array.from({ length: count }, (_, i) => call(ECHO, [`key ${i}`], [String(i), 'more']))
  expect(await Promise.all(answers)).toEqual(Array.from({ length: count }, (_, i) => [`key ${i}`, 1, String(i), 2]))
  // One is the question itself.
  return (await readsSoFar()) - before - 1
}

describe('the calls of one turn', () => {
  test.each([
    [1, 1],
    [16, 1],
  ])('%i arrive in %i read, and each gets its own answer', async (count, reads) => {
    expect(await readsOf(count)).toBe(reads)
  })

  // At most: what Redis was too busy to read at once, it reads together.
  test.each([
    [17, 2],
    [64, 4],
  ])('%i arrive in at most %i reads', async (count, reads) => {
    expect(await readsOf(count)).toBeLessThanOrEqual(reads)
  })

  test('the next turn has commands of its own', async () => {
    const call = calls()
    expect(await readsOf(3, call)).toBe(1)
    expect(await readsOf(20, call)).toBeLessThanOrEqual(2)
    expect(await readsOf(3, call)).toBe(1)
  })

  test('of several scripts arrive in one read', async () => {
    const call = calls()
    const all = () => Promise.all(['1', '2', '3'].map((each) => call(`return ${each}`, [], [])))
    await all()
    const before = await readsSoFar()
    expect(await all()).toEqual([1, 2, 3])
    expect((await readsSoFar()) - before - 1).toBe(1)
  })

  test('are run one after the other: each sees what those before it wrote', async () => {
    const call = calls()
    const counts = Array.from({ length: 40 }, () => call(`return redis.call('INCR', KEYS[1])`, ['counter'], []))
    expect(await Promise.all(counts)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  })
})

describe('what goes wrong', () => {
  const PUSH = `
if ARGV[1] == 'error' then return redis.call('RPUSH', KEYS[1], 'x') end
if ARGV[1] == 'returned' then return redis.pcall('RPUSH', KEYS[1], 'x') end
if ARGV[1] == 'mistake' then return nobody.there end
return 'fine'`

  test('in one call is its own error; the others never hear of it', async () => {
    await client.set('text', 'no list')
    const call = calls()
    const settled = await Promise.allSettled(
      ['', 'error', '', 'returned', 'mistake', ''].map((what) => call(PUSH, ['text'], [what])),
    )
    const seen = settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error)))
    const wrongKind = expect.objectContaining({ name: 'ReplyError', message: expect.stringContaining('WRONGTYPE') })
    const mistake = expect.objectContaining({ name: 'ReplyError', message: expect.stringContaining('nobody') })
    expect(seen).toEqual(['fine', wrongKind, 'fine', wrongKind, mistake, 'fine'])
  })

  test('with the connection is told to each of them', async () => {
    const gone = new Redis(server.url, { lazyConnect: true, enableOfflineQueue: false })
    const call = scriptCalls(() => gone)
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => call(ECHO, [], [])))
    expect(settled.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
    gone.disconnect()
  })

  test('a server that has forgotten the script is told it again', async () => {
    const call = calls()
    await call(ECHO, [], [])
    await client.script('FLUSH')
    expect(await Promise.all([call(ECHO, ['a'], ['b']), call(ECHO, ['c'], ['d'])])).toEqual([
      ['a', 1, 'b', 1],
      ['c', 1, 'd', 1],
    ])
  })

  test('an answer of nothing is null', async () => {
    expect(await calls()('return false', [], [])).toBeNull()
  })
})
