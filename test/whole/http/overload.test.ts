/** docs/design/threats.md#t17: more requests than can be served are refused at once, in the one shape, and soon others are served again. */
import { afterEach, expect, test } from '@jest/globals'
import { eventually, sleep } from '../../support/ledger-contract.ts'
import { ORIGIN, SITEKEY, type TestService, testService } from '../../support/app.ts'

let service: TestService
afterEach(() => service.stop(0))

const ask = () =>
  fetch(`${service.base}/api/v1/challenge`, {
    method: 'POST',
    headers: { origin: ORIGIN },
    body: new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' }),
  })

/** Holds the event loop, as the work for a request does. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('when many requests wait and the event loop is late, some are refused', async () => {
  const limiter = {
    async take() {
      block(5)
      await sleep(100)
    },
    async giveBack() {},
  }
  service = await testService({ limiter })
  const flood = (): Promise<Response[]> => Promise.all(Array.from({ length: 600 }, ask))
  // Node.js accepts one connection in each turn of the event loop: only those that are open can come at once.
  const first = await flood()
  const answers = await flood()
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(50)
  expect(answers.length - refused.length).toBeGreaterThan(50)
  const [one] = refused
  expect([one!.headers.get('retry-after'), one!.headers.get('cache-control')]).toEqual(['1', 'no-store'])
  expect(one!.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  expect(await one!.json()).toEqual({ success: false, 'error-codes': ['rate-limiter-unavailable'] })

  const all = refused.length + first.filter(({ status }) => status === 503).length
  await eventually(async () => expect((await ask()).status).toBe(200), 5000)
  await eventually(() => {
    const reports = service.lines().filter(({ message }) => message === 'overload: requests refused')
    const shed = reports.map(({ detail }) => Number.parseInt(String(detail), 10))
    expect(shed.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(all)
  }, 5000)
})

test('a single request is served, however late the event loop is', async () => {
  service = await testService()
  for (let i = 0; i < 5; i++) {
    const asked = ask()
    block(300)
    expect((await asked).status).toBe(200)
  }
})
