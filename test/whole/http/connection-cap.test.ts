/**
 * docs/design/threats.md#t17: connections have a cap, and nobody takes all of them. One address held all 10,000 by one GET for each;
 * everybody else was closed without an answer for 65 s.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Listening, listen, type ListenOptions } from '../../../src/http/listen.ts'

const MOST = 5
let service: Listening
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await service.stop(0)
})

const OK = 'HTTP/1.1 200 OK'

async function start(options: ListenOptions): Promise<void> {
  service = await listen(
    (req, res) => {
      // Never answered: a request in progress.
      if (req.url !== '/wait') res.end(req.socket.remoteAddress)
    },
    { host: '127.0.0.1', port: 0 },
    options,
  )
}

/** @param from an address of this machine; 127.0.0.1 is its own, which is not counted. */
async function open(from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

/** @returns the first line of the answer; '' where the connection ends without one. */
async function ask(socket: Socket, path = '/'): Promise<string> {
  return (await answer(socket, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).split('\r\n')[0]!
}

async function answer(socket: Socket, bytes: string | Buffer): Promise<string> {
  if (socket.closed) return ''
  const ended = once(socket, 'close').then(() => [''])
  socket.write(bytes)
  const [text] = (await Promise.race([once(socket, 'data'), ended])) as [Buffer | string]
  return text.toString()
}

test('beyond the cap, while nobody is idle, a connection is closed at once; the others are answered, and a place that is left is given on', async () => {
  await start({ most: MOST })
  const first = await Promise.all(Array.from({ length: MOST }, () => open()))
  for (const socket of first) expect(await ask(socket)).toBe(OK)

  const late = await Promise.all(Array.from({ length: 10 }, () => open()))
  await Promise.all(late.filter(({ destroyed }) => !destroyed).map((socket) => once(socket.resume(), 'close')))
  for (const socket of first) expect(await ask(socket)).toBe(OK)

  const gone = once(first[0]!, 'close')
  first[0]!.end()
  await gone
  expect(await ask(await open())).toBe(OK)
})

test('one address has its share, and the others theirs', async () => {
  const told: number[] = []
  await start({ perAddress: 3, crowded: (crowd) => told.push(crowd) })
  const held = await Promise.all([1, 2, 3].map(() => open('127.0.0.2')))
  for (const socket of held) expect(await ask(socket)).toBe(OK)
  expect(await ask(await open('127.0.0.2'))).toBe('')
  expect(await ask(await open('127.0.0.3'))).toBe(OK)
  for (const socket of held) expect(await ask(socket)).toBe(OK)

  const gone = once(held[0]!, 'close')
  held[0]!.end()
  await gone
  expect(await ask(await open('127.0.0.2'))).toBe(OK)
  await eventually(() => expect(told).toEqual([1]))
})

test('a trusted proxy and the machine itself speak for many, and are not counted', async () => {
  await start({ perAddress: 1, trusts: (peer) => peer === '127.0.0.4' })
  for (const from of ['127.0.0.4', '127.0.0.1']) {
    for (const socket of await Promise.all([1, 2, 3].map(() => open(from)))) expect(await ask(socket)).toBe(OK)
  }
})

test('when all places are taken, idle connections make room; a request in progress does not', async () => {
  await start({ most: 3 })
  const waiting = await open('127.0.0.2')
  waiting.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n')
  const idle = await open('127.0.0.3')
  expect(await ask(idle)).toBe(OK)
  const silent = await open('127.0.0.4')

  const closed = once(idle, 'close')
  expect(await ask(await open('127.0.0.5'))).toBe(OK)
  await closed
  expect([waiting.destroyed, silent.destroyed]).toEqual([false, false])
})

test('an idle connection is kept for as long as the setting says', async () => {
  await start({ keepAlive: 620_000 })
  expect(await keepAlive(await open('127.0.0.2'))).toBe('620')
})

test('when most places are taken, an idle connection is kept for 5 s instead of 65', async () => {
  await start({ most: 10 })
  const held = [await open('127.0.0.2')]
  expect(await keepAlive(held[0]!)).toBe('65')
  while (held.length < 9) held.push(await open(`127.0.0.${2 + held.length}`))
  expect(await keepAlive(held[8]!)).toBe('5')

  const keepAliveAgain = async () => {
    for (const socket of held.splice(1)) socket.destroy()
    expect(await keepAlive(held[0]!)).toBe('65')
  }
  await eventually(keepAliveAgain)
})

test('when most places are taken, an address has what all would have in equal parts; one with fewer gets more', async () => {
  await start({ most: 160 })
  const few = await open('127.0.0.3')
  expect(await ask(few)).toBe(OK)
  // With the next, more than 40 are taken; in equal parts each of the two would have 20 of 40.
  const many = await Promise.all(Array.from({ length: 40 }, () => open('127.0.0.2')))
  for (const socket of many) expect(await ask(socket)).toBe(OK)

  expect(await ask(await open('127.0.0.2'))).toBe('')
  expect(await ask(await open('127.0.0.3'))).toBe(OK)
  for (const socket of [few, ...many]) expect(await ask(socket)).toBe(OK)
})

async function keepAlive(socket: Socket): Promise<string | undefined> {
  const head = await answer(socket, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return /keep-alive: timeout=(\d+)/i.exec(head)?.[1]
}

/** Until it holds; for at most 10 s. */
async function eventually(holds: () => unknown): Promise<void> {
  const ends = performance.now() + 10_000
  for (;;) {
    try {
      await holds()
      return
    } catch (error) {
      if (performance.now() > ends) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
