/** Clients that ask without waiting for answers: bounded for each connection, and nothing is kept of those that go. */
import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Listening, listen } from '../../../src/http/listen.ts'

let service: Listening | undefined
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await service?.stop(0)
  service = undefined
})

async function ask(app: RequestListener, count: number): Promise<{ socket: Socket; answer: () => string }> {
  let made = 0
  service = await listen(
    (req, res) => {
      made++
      app(req, res)
    },
    { host: '127.0.0.1', port: 0 },
  )
  requests = () => made
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  sockets.push(socket)
  let said = ''
  socket.on('error', () => {})
  socket.on('data', (data) => (said += String(data)))
  await once(socket, 'connect')
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count))
  return { socket, answer: () => said }
}
let requests: () => number

test('sixteen requests at once are answered, one after the other', async () => {
  const { answer } = await ask((_req, res) => void setTimeout(() => res.end('ok'), 5), 16)
  while (answer().split('HTTP/1.1 200 OK').length <= 16) await sleep(5)
  expect(requests()).toBe(16)
})

test('of a megabyte of requests sixteen are served, and the connection is cut before most of it is read', async () => {
  let served = 0
  const { socket } = await ask(() => void served++, 27_000)
  await new Promise((resolve) => socket.on('close', resolve))
  expect(served).toBe(16)
})

test('answers that are taken make room for more', async () => {
  const { socket, answer } = await ask((_req, res) => void res.end('ok'), 10)
  for (let round = 2; round <= 10; round++) {
    while (answer().split('HTTP/1.1 200 OK').length <= (round - 1) * 10) await sleep(2)
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10))
  }
  while (answer().split('HTTP/1.1 200 OK').length <= 100) await sleep(2)
  expect(requests()).toBe(100)
})

test('of a connection that goes, each of its requests is told that it is gone, once', async () => {
  const seen = { closed: 0, come: 0 }
  service = await listen(
    (_req, res) => {
      res.on('close', () => seen.closed++)
      if (++seen.come === 1) res.end('the first is answered')
    },
    { host: '127.0.0.1', port: 0 },
  )
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10))
  while (seen.come < 11) await sleep(2)
  socket.resetAndDestroy()
  while (seen.closed < 11) await sleep(2)
  await sleep(20)
  expect(seen.closed).toBe(11)
})
