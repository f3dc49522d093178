import { afterEach, describe, expect, test } from '@jest/globals'
import type { Parts } from '../../../src/app.ts'
import { memoryLedger } from '../../../src/store/memory-ledger.ts'
import { memoryLimiter } from '../../../src/store/limits.ts'
import { random, sleep } from '../../support/ledger-contract.ts'
import { PLENTY, SECRET, type TestService, testService } from '../../support/app.ts'
import { BROWSER, post, solved, token } from '../../support/visitor.ts'

const UNAVAILABLE = { success: false, 'error-codes': ['database-unavailable'] }

let service: TestService
afterEach(() => service.stop(0))

/** Parts of which one hangs as long as the test wants; everything else is real. */
function hanging() {
  let ms = 0
  const ledger = memoryLedger({ random, clock: Date.now })
  const limiter = memoryLimiter(PLENTY)
  const late = {
    ledger: { ...ledger, consume: async (entry) => sleep(ms).then(() => ledger.consume(entry)) },
    limiter: { ...limiter, take: async (...asked) => sleep(ms).then(() => limiter.take(...asked)) },
  } satisfies Partial<Parts>
  return { late, hang: (forMs: number) => (ms = forMs) }
}

const verify = (response: string) => post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })

describe('an answer comes in time, whatever hangs', () => {
  test.each(['ledger', 'limiter'] as const)('for each operation that waits for a %s', async (part) => {
    const { late, hang } = hanging()
    service = await testService({ [part]: late[part] })
    const response = await token(service.ask)
    const fields = await solved(service.ask)
    hang(4000)
    const origin = { ...BROWSER, origin: service.ask.origin }
    const asked = {
      siteverify: () => verify(response),
      solve: () => post(`${service.base}/api/v1/solve`, fields, origin),
      challenge: () => post(`${service.base}/api/v1/challenge`, { sitekey: service.ask.sitekey, action: 'a' }, origin),
    }
    for (const [name, ask] of Object.entries(asked)) {
      // A challenge asks the ledger for nothing that could hang.
      if (name === 'challenge' && part === 'ledger') continue
      const start = performance.now()
      const { status, body, headers } = await ask()
      // The exact second is measured in test/world/long, alone on the machine; here it is told from the 4 s that hang.
      expect(performance.now() - start).toBeLessThan(2000)
      expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE })
      expect(headers.get('retry-after')).toBe('1')
    }
  })

  test('and a late consumption is never an acceptance: the token is burnt, by a request that was refused', async () => {
    const { late, hang } = hanging()
    service = await testService({ ledger: late.ledger })
    const response = await token(service.ask)
    hang(1200)
    expect((await verify(response)).status).toBe(503)
    await sleep(600)
    hang(0)
    expect((await verify(response)).body).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
  })
})
