/** docs/design/threats.md#t17: more requests than can be served are refused at once, in the one shape, and soon others are served again. */
import { afterEach, expect, test } from '@jest/globals'
import type { RequestHandler } from 'express'
import { readable } from '../../../src/http/cors.ts'
import { expressApp, noStore } from '../../../src/http/express-app.ts'
import { answerFaults } from '../../../src/http/faults.ts'
import { type Listening, listen } from '../../../src/http/listen.ts'
import { overload } from '../../../src/http/overload.ts'
import { eventually } from '../../support/ledger-contract.ts'

const PAGE = 'https://shop.example.com'
let service: Listening
afterEach(() => service.stop(0))

const ask = () => fetch(service.url, { method: 'POST', headers: { origin: PAGE } })

/** Holds the event loop, as the work for a request does. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** @returns how many were refused, as reported. */
async function start(serve: RequestHandler): Promise<() => number> {
  let shed = 0
  const app = expressApp()
  const silent = { info() {}, warn() {}, error() {} }
  app.use(
    noStore,
    readable,
    overload((requests) => (shed += requests)),
    serve,
    answerFaults(silent),
  )
  service = await listen(app, { host: '127.0.0.1', port: 0 })
  return () => shed
}

test('when many requests wait and the event loop is late, some are refused', async () => {
  const shed = await start((_req, res) => {
    block(5)
    setTimeout(() => res.end('served'), 100)
  })
  const flood = (): Promise<Response[]> => Promise.all(Array.from({ length: 600 }, ask))
  // Node.js accepts one connection in each turn of the event loop: only those that are open can come at once.
  const first = await flood()
  const answers = await flood()
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(50)
  expect(answers.length - refused.length).toBeGreaterThan(50)
  const [one] = refused
  expect([one!.headers.get('retry-after'), one!.headers.get('cache-control')]).toEqual(['1', 'no-store'])
  expect(one!.headers.get('access-control-allow-origin')).toBe(PAGE)
  expect(await one!.json()).toEqual({ success: false, 'error-codes': ['rate-limiter-unavailable'] })

  const all = refused.length + first.filter(({ status }) => status === 503).length
  await eventually(async () => expect((await ask()).status).toBe(200), 5000)
  await eventually(() => expect(shed()).toBeGreaterThanOrEqual(all), 5000)
})

test('a single request is served, however late the event loop is', async () => {
  await start((_req, res) => void res.end('served'))
  for (let i = 0; i < 5; i++) {
    const asked = ask()
    block(300)
    expect((await asked).status).toBe(200)
  }
})
