import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { readableRefusal } from '../../../src/http/api/cors.ts'
import { timeLeft } from '../../../src/http/api/deadline.ts'
import { overload } from '../../../src/http/server/overload.ts'
import type { Sites } from '../../../src/ports/stores.ts'

let undo: (() => void)[] = []
afterEach(() => {
  for (const step of undo) step()
  undo = []
})

/** Requests of which each takes so many milliseconds to serve, by a clock of our own, and in which order they were. */
function busy(msEach: number, { inTicks = false } = {}) {
  let now = 0
  const [served, reports]: [number[], number[]] = [[], []]
  const responses: ServerResponse[] = []
  const load = overload(
    (_req, res) => {
      const work = (): number => (now += msEach)
      if (inTicks) process.nextTick(work)
      else work()
      served.push(responses.indexOf(res))
    },
    (refused) => reports.push(refused),
    () => now,
  )
  undo.push(() => load.end())
  const come = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const req = new IncomingMessage(new Socket())
      responses.push(new ServerResponse(req))
      load.take(req, responses.at(-1)! as ServerResponse & { req: IncomingMessage })
    }
  }
  const refused = (): number[] => responses.flatMap((res, i) => (res.statusCode === 503 ? [i] : []))
  return { come, served, refused, reports, responses, pass: (ms: number) => (now += ms) }
}

test('one that comes alone is served at once', () => {
  const { come, served } = busy(1)
  come(1)
  expect(served).toEqual([0])
})

test('of many, a turn serves for 12 ms, and those that come later wait behind the earlier', async () => {
  const { come, served, refused } = busy(5)
  come(7)
  // Begun before the 12 ms were over.
  expect(served).toEqual([0, 1, 2])
  come(1)
  await turn()
  expect(served).toEqual([0, 1, 2, 3, 4, 5])
  come(1)
  await turn()
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  await turn()
  expect(refused()).toEqual([])
})

test('what a request begins in ticks and promises counts as its own', async () => {
  const { come, served, pass } = busy(5, { inTicks: true })
  come(1)
  pass(13)
  come(9)
  expect(served).toEqual([0])
  await turn()
  expect(served).toEqual([0, 1, 2, 3])
})

test('what a request has waited is taken from the time that its operation gets', async () => {
  const { come, responses } = busy(30)
  come(3)
  await turn()
  await turn()
  expect(responses.map(timeLeft)).toEqual([800, 800, 770])
})

test('the turns of others come in between', async () => {
  const { come, served } = busy(30)
  come(4)
  const seen: number[] = []
  while (served.length < 4) {
    seen.push(served.length)
    await turn()
  }
  expect(seen.length).toBeGreaterThan(1)
})

test('who has waited for more than 500 ms is refused, exactly those, and it is over with them', async () => {
  const { come, served, refused, pass } = busy(21)
  come(3)
  expect(served).toEqual([0])
  pass(480)
  await turn()
  expect([served, refused()]).toEqual([[0, 1], []])
  await turn()
  await turn()
  expect([served, refused()]).toEqual([[0, 1], [2]])
  come(1)
  expect(served).toEqual([0, 1, 3])
})

test('all who have waited too long are refused in one turn, before anybody is served', async () => {
  const { come, served, refused, pass } = busy(13)
  come(400)
  pass(501)
  come(2)
  await turn()
  expect(refused()).toEqual(Array.from({ length: 399 }, (_, i) => i + 1))
  expect(served).toEqual([0, 400])
})

test('of those that wait 2,000 stay, and the first of the others are refused', async () => {
  const { come, served, refused } = busy(13)
  come(2003)
  await turn()
  expect([served, refused()]).toEqual([
    [0, 3],
    [1, 2],
  ])
})

test('who is gone before the turn comes is neither served nor counted', async () => {
  const { come, served, refused, responses } = busy(21)
  come(3)
  responses[1]!.destroy()
  await turn()
  await turn()
  expect([served, refused()]).toEqual([[0, 2], []])
})

test('whoever is refused is told in the one shape when to come again, and how many they were is reported', async () => {
  let now = 0
  const reports: number[] = []
  const load = overload(
    () => {
      now += 700
    },
    (refused) => reports.push(refused),
    () => now,
    readableRefusal(SITES),
  )
  const server = createServer((req, res) => {
    load.take(new IncomingMessage(new Socket()), new ServerResponse(req) as ServerResponse & { req: IncomingMessage })
    load.take(new IncomingMessage(new Socket()), new ServerResponse(req) as ServerResponse & { req: IncomingMessage })
    load.take(req, res)
  }).listen(0, '127.0.0.1')
  undo.push(() => {
    load.end()
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/challenge`
  const answer = await fetch(url, { method: 'POST', body: 'sitekey=x', headers: { origin: PAGE } })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE)
  expect(await answer.json()).toEqual({ success: false, 'error-codes': ['rate-limiter-unavailable'] })
  await sleep(2100)
  expect(reports).toEqual([1])
})

const PAGE = 'https://shop.example.com'
const SITES: Sites = {
  anyAllows: (hostname) => hostname === 'shop.example.com',
  bySecret: () => undefined,
  bySitekey: () => undefined,
}

test.each([
  { path: '/api/v1/challenge', origin: PAGE, head: { Vary: 'Origin', ...readableBy(PAGE) } },
  { path: '/api/v1/solve?x=1', origin: PAGE, head: { Vary: 'Origin', ...readableBy(PAGE) } },
  { path: '/api/v1/solve', origin: 'https://evil.example', head: { Vary: 'Origin' } },
  { path: '/api/v1/solve', origin: 'null', head: { Vary: 'Origin' } },
  { path: '/api/v1/challenge', origin: undefined, head: { Vary: 'Origin' } },
  { path: '/api/v1/siteverify', origin: PAGE, head: {} },
  { path: '/api/v1/nothing', origin: PAGE, head: {} },
])('the refusal of $path to $origin is for the pages of sites to read', ({ path, origin, head }) => {
  const req = Object.assign(new IncomingMessage(new Socket()), { url: path, headers: { origin } })
  const said = {}
  readableRefusal(SITES)(req, said)
  expect(said).toEqual(head)
})

function readableBy(origin: string) {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'Retry-After' }
}
