/** The whole ledger over its partitions: what it adds to them. ledger-partition.test.ts has one partition alone. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { closeAfterEach, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { anyJti, eventually, sleep } from '../../support/ledger-contract.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())
const closeLater = closeAfterEach()
afterEach(async () => {
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await redis.cli('FLUSHALL')
})

function open(partitions = 1, url = redis.url): LedgerOnRedis {
  const made = openLedger({ url }, { partitions })
  closeLater(made.close)
  return made
}
async function ready(partitions?: number): Promise<LedgerOnRedis> {
  const made = open(partitions)
  await eventually(() => made.ledger.probe())
  return made
}

describe('what an operator must fix', () => {
  const POLICY =
    /^error the ledger cannot be used \{"code":"database-unavailable","detail":"Redis may drop .*allkeys-lru\)"\}$/
  test('is said once, and again when it comes back after it was fixed', async () => {
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const { ledger, log } = open(2)
    await eventually(() => expect(log.lines).toEqual([expect.stringMatching(POLICY)]))
    await sleep(600)
    expect(log.lines).toHaveLength(1)
    expect(ledger.fault()?.code).toBe('database-unavailable')

    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await eventually(() => expect(ledger.fault()).toBeUndefined())
    // The first generation that is heard is a new one, after which it is looked at again.
    for (let i = 0; i < 2; i++) await ledger.probe()
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    // By the next poll, without a request.
    await eventually(() => expect(log.lines).toHaveLength(2), 1000)
    expect(log.lines[1]).toMatch(POLICY)
  })
  test('a schema of another release too, under its own code', async () => {
    const { log } = await ready()
    await redis.cli('HSET', '{hv}:gen', 'v', '999')
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toBe(
      'error the ledger cannot be used {"code":"database-schema-outdated","detail":"the ledger\'s schema is 999, ours is another"}',
    )
  })
  test('a schema is said before a fault that nobody can fix, whichever partition has it', async () => {
    const { log } = await ready(2)
    await redis.cli('SET', '{hv.2.0}:gen', 'no hash')
    await redis.cli('HSET', '{hv.2.1}:gen', 'v', '999')
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(/^error the ledger cannot be used \{"code":"database-schema-outdated","detail":"the /)
  })
  test('is nothing once it was fixed, though the ledger has another fault', async () => {
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const { ledger, log } = open()
    await eventually(() => expect(log.lines).toEqual([expect.stringMatching(POLICY)]))
    await redis.cli('SET', '{hv}:gen', 'no hash')
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    const wrongKind = { code: 'database-unavailable', cause: { message: expect.stringContaining('WRONGTYPE') } }
    await eventually(() => expect(ledger.probe()).rejects.toMatchObject(wrongKind))
    await sleep(600)
    expect(log.lines).toHaveLength(1)
  })
  test('is not that nobody answers: the link says so already', async () => {
    const { log, ledger } = open(1, 'redis://127.0.0.1:1/0')
    await eventually(() => expect(log.lines).toHaveLength(1))
    await sleep(600)
    expect(log.lines).toEqual([expect.stringMatching(/^warn redis cannot be reached/)])
    expect(ledger.fault()?.code).toBe('database-unavailable')
  })
})

test('what is heard in passing keeps the generation known, and a move is told', async () => {
  const { ledger, moves } = await ready()
  const generation = ledger.generation(anyJti)
  await sleep(1800)
  expect(ledger.generation(anyJti)).toBe(generation)
  await redis.cli('DEL', '{hv}:gen')
  await eventually(() => expect(moves.count).toBe(1))
  expect(ledger.generation(anyJti)).not.toBe(generation)
})

test('a ledger that is closed listens no more, and leaves the link open', async () => {
  const { ledger, link } = await ready()
  await ledger.close()
  await sleep(1800)
  expect(() => ledger.generation(anyJti)).toThrow('database-unavailable')
  expect(await link.script('seven', 'return 7', 0)([], [], { budgetMs: 1000, retry: true })).toBe(7)
})

test('it knows how full the server is, and says so once where little room is left', async () => {
  const server = await startRedis()
  closeLater(() => server.remove())
  const { ledger, log } = open(1, server.url)
  await eventually(() => ledger.generation(anyJti))
  // Without maxmemory there is no bound.
  expect(ledger.fullness()).toBe(0)
  const used = Number(/used_memory:(\d+)/.exec(String(await server.cli('INFO', 'memory')))![1])
  const said = () => log.lines.filter((line) => line.includes('the ledger has little room left'))
  await server.cli('CONFIG', 'SET', 'maxmemory', String(Math.round(used / 0.9)))
  await eventually(() => expect(said()).toHaveLength(1))
  expect(said()[0]).toMatch(
    /^error the ledger has little room left \{"detail":"[89]\d % of Redis' maxmemory is in use; from 85 % on networks share their room for visits, from 95 % on no challenge is issued","hint":"raise maxmemory, or find out who fills it: .+"\}$/,
  )
  expect(ledger.fullness()).toBeGreaterThan(0.85)
  expect(ledger.fullness()).toBeLessThan(1)
  await server.cli('CONFIG', 'SET', 'maxmemory', String(used * 2))
  await eventually(() => expect(ledger.fullness()).toBeLessThan(0.6))
  await server.cli('CONFIG', 'SET', 'maxmemory', String(Math.round(used / 0.9)))
  await eventually(() => expect(said()).toHaveLength(2))
  // Polls that find the same say nothing more; a process that starts now says it once.
  const later = open(1, server.url)
  await eventually(() => expect(later.log.lines).toEqual([expect.stringContaining('the ledger has little room left')]))
  expect(said()).toHaveLength(2)
})
