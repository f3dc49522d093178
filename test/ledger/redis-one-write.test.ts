/** What is asked of Redis in one turn leaves in few writes: counted by Redis itself. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { oneWrite } from '../../src/ledger/one-write.ts'
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

/** How often Redis has read from anybody. */
const readsSoFar = async (): Promise<number> =>
  Number(/total_reads_processed:(\d+)/.exec(await onlooker.info('stats'))![1])

/** How many reads so many commands of one turn take. */
async function readsOf(commands: number, gather: (client: Redis) => void): Promise<number> {
  const before = await readsSoFar()
  const answers = Array.from({ length: commands }, (_, i) => {
    gather(client)
    return client.echo(String(i))
  })
  expect(await Promise.all(answers)).toEqual(Array.from({ length: commands }, (_, i) => String(i)))
  // One is the question itself.
  return (await readsSoFar()) - before - 1
}

test.each([
  [1, 1],
  [16, 1],
])('%i commands of one turn arrive in %i read', async (commands, reads) => {
  expect(await readsOf(commands, oneWrite())).toBe(reads)
})

// At most: what Redis was too busy to read at once, it reads together.
test.each([
  [17, 2],
  [64, 4],
])('%i commands of one turn arrive in at most %i reads', async (commands, reads) => {
  expect(await readsOf(commands, oneWrite())).toBeLessThanOrEqual(reads)
})

test('the next turn has a write of its own', async () => {
  const gather = oneWrite()
  expect(await readsOf(3, gather)).toBe(1)
  expect(await readsOf(3, gather)).toBe(1)
})

test('a client that is not ready is left alone', async () => {
  const late = new Redis(server.url, { lazyConnect: true })
  const gather = oneWrite()
  gather(late)
  await late.connect()
  gather(late)
  expect(await late.echo('here')).toBe('here')
  late.disconnect()
})
