/** Clients that ask without waiting for answers: bounded for each connection, and nothing is kept of those that go. */
import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer, IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Listening, listen } from '../../../src/http/server/listen.ts'
import { unanswered } from '../../../src/http/server/pending-responses.ts'

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
  class Counted extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket)
      made++
    }
  }
  service = await listen(app, { host: '127.0.0.1', port: 0 }, { messages: { IncomingMessage: Counted } })
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
  expect(requests()).toBeLessThan(4000)
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

test('of a connection that goes nothing is owed, and each of its requests is told, once', async () => {
  const owed = unanswered()
  let closed = 0
  let come = 0
  const server = createServer((req, res) => {
    owed.add(req, res)
    res.on('close', () => closed++)
    if (++come === 1) res.end('the first is answered')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10))
  while (owed.all().length < 10) await sleep(2)
  socket.resetAndDestroy()
  while (owed.all().length > 0) await sleep(2)
  await sleep(20)
  expect(closed).toBe(11)
  owed.end()
  server.close()
})

test('a connection that takes no answer is cut; one that takes it, or waits for the next request, is not', async () => {
  const owed = unanswered(300)
  const answer = Buffer.alloc(32 * 1024 * 1024)
  const server = createServer((req, res) => {
    owed.add(req, res)
    res.end(req.url === '/small' ? 'ok' : answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (path: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    return socket
  }
  const [stalled, slow, idle] = [await open('/'), await open('/'), await open('/small')]
  idle.resume()
  // Some of it each time that it looks.
  const taking = setInterval(() => slow.read(), 20)
  const began = performance.now()
  // Only who reads hears of the end of a connection: it is the server that is asked.
  while (owed.all().length > 1) await sleep(5)
  const ms = performance.now() - began
  await sleep(700)
  clearInterval(taking)
  expect(ms).toBeGreaterThan(250)
  expect([slow.readyState, idle.readyState]).toEqual(['open', 'open'])
  stalled.resume()
  await once(stalled, 'close')
  expect(stalled.bytesRead).toBeLessThan(answer.length)
  owed.end()
  for (const socket of sockets) socket.destroy()
  server.close()
})
