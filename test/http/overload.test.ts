import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { overload } from '../../src/http/overload.ts'

/** Blocks the event loop: the tick cannot come. */
function hold(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('a request that comes late in a long turn is over, if many are in flight; the next turn serves again', async () => {
  const load = overload(() => {})
  await sleep(30)
  expect(load.isOver(10_000)).toBe(false)
  hold(310)
  expect([load.isOver(255), load.isOver(256)]).toEqual([false, true])
  await sleep(30)
  expect(load.isOver(10_000)).toBe(false)
  load.end()
})

test('a turn of 300 ms is none too long', () => {
  let now = 0
  const load = overload(
    () => {},
    () => now,
  )
  now = 300
  expect(load.isOver(1000)).toBe(false)
  now = 300.1
  expect(load.isOver(1000)).toBe(true)
  load.end()
})

test('whoever is refused is told in the one shape when to come again, and how many they were is reported', async () => {
  const reports: number[] = []
  const load = overload((refused) => reports.push(refused))
  const server = createServer((_req, res: ServerResponse) => load.refuse(res)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/siteverify`
  const answers = await Promise.all([1, 2, 3].map(() => fetch(url, { method: 'POST', body: 'secret=x' })))
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({ success: false, 'error-codes': ['rate-limiter-unavailable'] })
  }
  await sleep(2100)
  expect(reports.reduce((sum, each) => sum + each, 0)).toBe(3)
  load.end()
  await new Promise((resolve) => server.close(resolve))
})
