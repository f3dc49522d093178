/** docs/design/threats.md#t17: whoever is refused below HTTP keeps no place, and can neither end the process nor hold up its end. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Listening, listen } from '../../../src/http/listen.ts'

const GARBAGE = 'no HTTP at all\r\n\r\n'
const CONNECT = 'CONNECT example.com:443 HTTP/1.1\r\n\r\n'

let service: Listening
let sockets: Socket[] = []
beforeEach(async () => {
  service = await listen((_req, res) => void res.end('ok'), { host: '127.0.0.1', port: 0 }, { most: 1 })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await service.stop(0)
})

/** @param allowHalfOpen the client never closes its own side, whatever the other does. */
async function send(text: string, allowHalfOpen = true): Promise<{ socket: Socket; status: string }> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', allowHalfOpen })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write(text)
  const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [Buffer]
  return { socket, status: answer.toString().split('\r\n')[0]! }
}

const served = async () => (await send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', false)).status

test.each([
  { what: 'CONNECT', text: CONNECT, status: 'HTTP/1.1 405 Method Not Allowed' },
  { what: 'rubbish', text: GARBAGE, status: 'HTTP/1.1 400 Bad Request' },
])('$what, and then a reset: the others are served', async ({ text, status }) => {
  const refused = await send(text)
  expect(refused.status).toBe(status)
  refused.socket.resetAndDestroy()
  await once(refused.socket, 'close')
  expect(await msUntilServed()).toBeLessThan(2000)
})

test.each([
  { what: 'CONNECT', text: CONNECT },
  { what: 'rubbish', text: GARBAGE },
])('$what from a client that never closes: its place is given on', async ({ text }) => {
  await send(text)
  expect(await msUntilServed()).toBeLessThan(3000)
})

test.each([
  { what: 'CONNECT', text: CONNECT },
  { what: 'rubbish', text: GARBAGE },
])('$what from a client that never closes does not hold up the end', async ({ text }) => {
  await send(text)
  const started = performance.now()
  await service.stop(5000)
  expect(performance.now() - started).toBeLessThan(3000)
})

/** Until somebody else is served; 10,000 when nobody is. */
async function msUntilServed(): Promise<number> {
  const started = performance.now()
  while ((await served()) !== 'HTTP/1.1 200 OK' && performance.now() - started < 10_000) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return performance.now() - started
}
