/** docs/design/threats.md#t17: more requests than can be served are refused at once, in the one shape, and soon others are served again. */
import { afterEach, expect, test } from '@jest/globals'
import { type Listening, listen } from '../../../src/http/listen.ts'
import { eventually } from '../../support/ledger-contract.ts'

const PAGE = 'https://shop.example.com'
let service: Listening
afterEach(() => service.stop(0))

const ask = (path: string) => fetch(`${service.url}${path}`, { method: 'POST', headers: { origin: PAGE } })

/** Holds the event loop, as the work for a request does. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('while many wait and the event loop is late, requests of the API are refused, and nothing else', async () => {
  const shed: number[] = []
  service = await listen(
    (_req, res) => {
      block(5)
      setTimeout(() => res.end('served'), 100)
    },
    { host: '127.0.0.1', port: 0 },
    {
      shed: (requests) => shed.push(requests),
      refusalHeaders: ({ headers }) => ({ 'Access-Control-Allow-Origin': String(headers.origin) }),
    },
  )
  const flood = async (): Promise<Response[]> => {
    const answers: Promise<Response>[] = []
    for (let i = 0; i < 600; i++) answers.push(ask('/api/v1/challenge'))
    return Promise.all(answers)
  }
  // Node.js accepts one connection in each turn of the event loop: only those that are open can come at once.
  await flood()
  const answers = await flood()
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(50)
  expect(answers.length - refused.length).toBeGreaterThan(50)
  const [one] = refused
  expect([one!.headers.get('retry-after'), one!.headers.get('cache-control')]).toEqual(['1', 'no-store'])
  expect(one!.headers.get('access-control-allow-origin')).toBe(PAGE)
  expect(await one!.json()).toEqual({ success: false, 'error-codes': ['rate-limiter-unavailable'] })

  await eventually(async () => expect((await ask('/api/v1/challenge')).status).toBe(200), 5000)
  await eventually(() => expect(shed.reduce((sum, each) => sum + each, 0)).toBe(refused.length), 5000)
})

test('one that comes alone is served, however late the event loop is', async () => {
  service = await listen((_req, res) => void res.end('served'), { host: '127.0.0.1', port: 0 })
  for (let i = 0; i < 5; i++) {
    const asked = ask('/api/v1/challenge')
    block(300)
    expect((await asked).status).toBe(200)
  }
})
