import { afterEach, expect, test } from '@jest/globals'
import { history } from '../../../src/history/history.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { memoryLimiter } from '../../../src/limits/limits.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { metering } from '../../../src/ops/metering.ts'
import { ORIGIN, SITEKEY, type TestService, testService } from '../../support/app.ts'
import { keepLog } from '../../support/ledger-contract.ts'
import { BROWSER } from '../../support/visitor.ts'

const many = { points: 1_000_000, per: seconds(60) }
/** One visit an hour, three of them at once. */
const BUDGETS = {
  challenge: { points: 1, per: seconds(3600) },
  solve: many,
  siteverify: many,
  fallback: many,
  junk: many,
  ticket: many,
}
const FIELDS = `sitekey=${SITEKEY}&action=sign-up`

let service: TestService
afterEach(() => service.stop(0))

/** A service whose budgets' clock stands still at `now()`, and whose limiter counts how often it is asked. */
async function start({ now = () => 0, ...change }: { now?: () => number; testMode?: boolean } = {}) {
  const limiter = memoryLimiter(BUDGETS, now)
  const taken: string[] = []
  const { meters } = metering({ clock: Date.now, id: 'test', name: 'test', version: 'test' })
  const counted: unknown[] = []
  service = await testService({
    limiter: {
      ...limiter,
      take(operation, who, next) {
        taken.push(operation)
        return limiter.take(operation, who, next)
      },
    },
    meters: {
      ...meters,
      request(operation, notes) {
        counted.push([operation, notes.code, notes.network])
      },
    },
    history: history(
      { counters: memoryCounters(), sketch: memorySketch() },
      { clock: { now: () => unixSeconds(1_700_000_000) }, log: keepLog() },
    ),
    trustedProxies: ['127.0.0.0/8'],
    ...change,
  })
  const ask = async (address: string, body = FIELDS, origin = ORIGIN) => {
    const headers = {
      ...BROWSER,
      origin,
      'x-forwarded-for': address,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const res = await fetch(`${service.base}/api/v1/challenge`, { method: 'POST', body, headers })
    return { status: res.status, headers: res.headers, body: (await res.json()) as unknown }
  }
  return { ask, taken, counted }
}

test('an address over its budget is refused again for a second, and nobody is asked', async () => {
  let now = 0
  const { ask, taken, counted } = await start({ now: () => now })
  for (let i = 0; i < 3; i++) expect((await ask('192.0.2.1')).status).toBe(200)
  const first = await ask('192.0.2.1')
  expect(first.status).toBe(429)
  now += 999
  const again = await ask('192.0.2.1')
  expect(again.status).toBe(429)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('retry-after')).toBe(first.headers.get('retry-after'))
  expect(taken).toHaveLength(4)
  const refusal = ['challenge', 'rate-limit-exceeded', '192.0.2.0/24']
  expect(counted.slice(-2)).toEqual([refusal, refusal])

  now += 1
  expect((await ask('192.0.2.1')).status).toBe(429)
  expect(taken).toHaveLength(5)
})

test('its neighbour is served', async () => {
  const { ask } = await start()
  for (let i = 0; i < 6; i++) await ask('192.0.2.1')
  expect((await ask('192.0.2.2')).status).toBe(200)
})

test('the body is not read: what stands in it changes nothing, and the connection goes on', async () => {
  const { ask } = await start()
  for (let i = 0; i < 4; i++) await ask('192.0.2.1')
  for (const body of ['sitekey=%', 'x'.repeat(30_000)]) {
    const { status, body: answer } = await ask('192.0.2.1', body)
    expect([status, answer]).toEqual([429, { success: false, 'error-codes': ['rate-limit-exceeded'] }])
  }
  expect((await ask('192.0.2.2')).status).toBe(200)
})

test('a page of a site may read it, no other page may', async () => {
  const { ask } = await start()
  for (let i = 0; i < 4; i++) await ask('192.0.2.1')
  const own = await ask('192.0.2.1')
  expect(own.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  expect(own.headers.get('access-control-expose-headers')).toContain('Retry-After')
  const other = await ask('192.0.2.1', FIELDS, 'https://elsewhere.example')
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([429, null])
})

test('in test mode a scenario is played, whatever its address has used up', async () => {
  const { ask } = await start({ testMode: true })
  for (let i = 0; i < 4; i++) await ask('192.0.2.1')
  expect((await ask('192.0.2.1')).status).toBe(429)
  expect((await ask('192.0.2.1', 'sitekey=%')).status).toBe(400)
})

test('all of a second have one line in the log, without an address', async () => {
  const { ask } = await start()
  for (let i = 0; i < 10; i++) await ask('192.0.2.1')
  const lines = async (): Promise<Record<string, unknown>[]> => {
    for (;;) {
      const found = service.lines().filter(({ message }) => message === 'challenges refused again')
      if (found.length > 0) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  expect((await lines()).map(({ detail }) => detail)).toEqual(['6 in a second, to addresses over their budget'])
  expect(JSON.stringify(service.lines())).not.toContain('192.0.2.1"')
  expect(service.lines().filter(({ message }) => message === 'challenge')).toHaveLength(4)
})
