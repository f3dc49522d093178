/** The whole ledger over its partitions: what it adds to them. ledger-partition.test.ts has one partition alone. */
import { afterEach, expect, test } from '@jest/globals'
import { redisLedger } from '../../../src/store/ledger/redis-ledger.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'
import { isSinceRedis7, startRedis } from '../../support/redis.ts'
import { type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import {
  anyJti,
  entry,
  eventually,
  faultOf,
  keepLog,
  newAttempt,
  newJti,
  random,
  sleep,
} from '../../support/ledger-contract.ts'

const redis = await startRedis()
afterEach(async () => {
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await redis.cli('FLUSHALL')
})

const open = (partitions = 1, url = redis.url): LedgerOnRedis =>
  openLedger({ url }, { partitions, patient: true })
async function ready(partitions?: number): Promise<LedgerOnRedis> {
  const made = open(partitions)
  await eventually(() => made.ledger.probe())
  return made
}

const POLICY =
  /^error the ledger cannot be used \{"code":"database-unavailable","detail":"Redis may drop .*allkeys-lru\)"\}$/
test('a problem for the operator is logged once, and again if it returns after it was fixed', async () => {
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

test('every answer refreshes the known generation, and a new one is reported with its start time', async () => {
  const { ledger, moves } = await ready()
  const generation = ledger.generation(anyJti)
  await sleep(1800)
  expect(ledger.generation(anyJti)).toBe(generation)
  await redis.cli('DEL', '{hv}:gen')
  await eventually(() => expect(moves.count).toBe(1))
  expect(ledger.generation(anyJti)).not.toBe(generation)
  const began = await eventually(
    () => ledger.beganAt(anyJti) ?? Promise.reject(new Error('not polled yet')),
    1000,
  )
  expect(Math.abs(began - Date.now() / 1000)).toBeLessThan(30)
})

test('it knows how full the server is, and logs once that little room is left', async () => {
  const server = await startRedis()
  const { ledger, log } = open(1, server.url)
  await eventually(() => ledger.generation(anyJti))
  // Without maxmemory there is no bound.
  expect(ledger.fullness()).toBe(0)
  const used = Number(/used_memory:(\d+)/.exec(String(await server.cli('INFO', 'memory')))![1])
  const said = () => log.lines.filter((line) => line.includes('the ledger has little room left'))
  await server.cli('CONFIG', 'SET', 'maxmemory', String(Math.round(used / 0.9)))
  await eventually(() => expect(said()).toHaveLength(1))
  await sleep(600)
  expect(said()[0]).toMatch(
    /^error the ledger has little room left \{"detail":"[89]\d % of Redis' maxmemory is in use; above 85 % a whole network has the limit of one address, above 95 % no challenge is issued","hint":"raise maxmemory, or find out what fills it: .+"\}$/,
  )
  expect(ledger.fullness()).toBeGreaterThan(0.85)
  expect(ledger.fullness()).toBeLessThan(1)
  await server.cli('CONFIG', 'SET', 'maxmemory', String(used * 2))
  await eventually(() => expect(ledger.fullness()).toBeLessThan(0.6))
  expect(said()).toHaveLength(1)
  await server.cli('CONFIG', 'SET', 'maxmemory', String(Math.round(used / 0.9)))
  await eventually(() => expect(said()).toHaveLength(2))
  // An instance that starts there also logs it.
  const next = open(1, server.url)
  await eventually(() => expect(next.log.lines).toHaveLength(1))
})

test('it knows how far the clock of the server is off, and logs each deviation once', async () => {
  const server = await startLyingRedis()
  const { ledger, log } = open(1, server.url)
  await eventually(() => ledger.generation(anyJti))
  expect(Math.abs(ledger.clockAhead())).toBeLessThan(1)
  for (const [times, says] of ['3600 s behind', '20 s ahead'].entries()) {
    const [s, side] = [Number.parseInt(says), says.endsWith('ahead') ? 1 : -1]
    server.shift(-side * s * 1000)
    const line = `error the clock of this machine is not that of Redis {"detail":"${says}: `
    await eventually(() =>
      expect(log.lines.filter((each) => each.startsWith(line))).toHaveLength(1),
    )
    expect(Math.abs(ledger.clockAhead() - side * s)).toBeLessThan(2)
    server.shift(0)
    await eventually(() => expect(Math.abs(ledger.clockAhead())).toBeLessThan(1))
    expect(log.lines).toHaveLength(times + 1)
  }
}, 20_000)

test('a partition of another schema is reported by its code, and the ledger issues while another one can', async () => {
  const { ledger, log } = await ready(2)
  await redis.cli('HSET', '{hv.2.0}:gen', 'v', '999')
  const says =
    '"code":"database-schema-outdated","detail":"the ledger\'s schema is 999, which differs from ours"'
  await eventually(() => expect(log.lines).toEqual([`error the ledger cannot be used {${says}}`]))
  await sleep(600)
  expect(log.lines).toHaveLength(1)
  expect(ledger.fault()).toBeUndefined()
  await redis.cli('HSET', '{hv.2.1}:gen', 'v', '999')
  await eventually(() => expect(ledger.fault()?.code).toBe('database-schema-outdated'))
})

// Without either, a check every five seconds notices it.
test.each([
  ['a call was refused', (spend: () => unknown) => faultOf(spend)],
  ['a new connection', () => redis.cli('CLIENT', 'KILL', 'TYPE', 'normal')],
])('a right that the user lost is noticed at once after %s', async (_when, happens) => {
  const { ledger, log } = await ready()
  await ledger.probe()
  await redis.cli('ACL', 'SETUSER', 'default', '-hsetnx')
  try {
    await happens(() => ledger.consume(entry(ledger.generation(anyJti))))
    await eventually(() => expect(log.lines.join()).toContain('allow it +hsetnx'), 3000)
  } finally {
    await redis.cli('ACL', 'SETUSER', 'default', '+hsetnx')
  }
})

test('it has a fault before its first answer, after a bug of ours, and once closed; the connection stays open', async () => {
  expect(open().ledger.fault()?.cause).toMatchObject({ message: 'no connection to Redis' })
  const { link } = await ready()
  const ids = { ...random }
  const ledger = redisLedger(link, { random: { id: () => ids.id() }, log: keepLog() })
  const unavailable = (message: string) => ({ code: 'database-unavailable', cause: { message } })
  expect(ledger.fault()).toMatchObject(unavailable('the ledger has not answered for too long'))
  ids.id = () => {
    throw new TypeError('a defect')
  }
  await eventually(() => expect(ledger.fault()).toMatchObject(unavailable('a defect')))
  Object.assign(ids, random)
  await eventually(() => expect(ledger.fault()).toBeUndefined())
  await ledger.close()
  await eventually(() => expect(ledger.fault()?.code).toBe('database-unavailable'), 5000)
  expect(link.client.status).toBe('ready')
})

test.each([
  { one: 1, other: 2 },
  { one: 2, other: 3 },
])(
  'instances of $one and of $other partitions refuse all of each other’s tokens, spent and unspent',
  async ({ one, other }) => {
    const [a, b] = [(await ready(one)).ledger, (await ready(other)).ledger]
    for (const [issuer, stranger] of [
      [a, b],
      [b, a],
    ] as const) {
      for (let i = 0; i < 40; i++) {
        const jti = newJti()
        const token = entry(issuer.generation(jti), { jti })
        expect(await stranger.consume(token)).toBe('stale')
        expect(await issuer.consume(token)).toBe('first')
        expect(await stranger.consume({ ...token, attempt: newAttempt() })).toBe('stale')
        expect(await issuer.consume({ ...token, attempt: newAttempt() })).toBe('taken')
      }
    }
  },
)

// Going back and forth must not find the entries' home moved while the generation stayed.
test('instances never accept a token a second time when all change to another number and back', async () => {
  const before = await ready(4)
  const tokens = Array.from({ length: 40 }, newJti).map((jti) =>
    entry(before.ledger.generation(jti), { jti }),
  )
  for (const token of tokens) expect(await before.ledger.consume(token)).toBe('first')
  const between = await ready(1)
  const after = await ready(4)
  const again = tokens.flatMap((token) => [
    between.ledger.consume({ ...token, attempt: newAttempt() }),
    after.ledger.consume({ ...token, attempt: newAttempt() }),
  ])
  expect(new Set(await Promise.all(again))).toEqual(new Set(['stale', 'taken']))
})

const MAY_SET_DIR = ['--enable-protected-configs', 'yes']

test.each([
  { what: 'is full', set: ['maxmemory', '1'], back: ['maxmemory', '0'], says: /OOM/ },
  {
    what: 'lacks replicas',
    set: ['min-replicas-to-write', '1'],
    back: ['min-replicas-to-write', '0'],
    says: /NOREPLICAS/,
  },
  { what: 'is a replica', set: ['', '127.0.0.1 1'], back: ['', 'no one'], says: /READONLY/ },
  { what: 'cannot save', set: ['dir', '/proc'], back: ['dir', '/tmp'], says: /MISCONF/ },
])(
  'a server that $what has a fault although nobody asks, and is said once',
  async ({ what, set, back, says }) => {
    const server = await startRedis({
      // Before Redis 7, `dir` needs no leave.
      args: ['--stop-writes-on-bgsave-error', 'yes', ...(isSinceRedis7() ? MAY_SET_DIR : [])],
    })
    const { ledger, log } = open(1, server.url)
    await eventually(() => ledger.generation(anyJti))
    const change = async ([name, value]: string[]): Promise<void> => {
      if (name === '') await server.cli('REPLICAOF', ...value!.split(' '))
      else await server.cli('CONFIG', 'SET', name!, value!)
      if (what === 'cannot save') {
        await server.cli('CONFIG', 'SET', 'save', '3600 1')
        await server.cli('BGSAVE').catch(() => undefined)
      }
    }
    await change(set)
    await eventually(() => expect(ledger.fault()?.code).toBe('database-unavailable'), 8000)
    await eventually(() => expect(log.lines.filter((line) => says.test(line))).toHaveLength(1))
    await sleep(600)
    expect(log.lines.filter((line) => says.test(line))).toHaveLength(1)
    await change(back)
    await eventually(() => expect(ledger.fault()).toBeUndefined(), 8000)
    expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('first')
  },
  30_000,
)
