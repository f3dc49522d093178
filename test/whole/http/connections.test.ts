/** docs/design/threats.md#t17: no client takes all connections, holds one that it was refused, or asks for more than it takes. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type Listening, listen, type ListenOptions } from '../../../src/http/listen.ts'
import { eventually, sleep } from '../../support/ledger-contract.ts'

const MOST = 5
let service: Listening
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await service.stop(0)
})

const OK = 'HTTP/1.1 200 OK'

/** Never answers /wait: a request in progress. */
const ANSWERS: RequestListener = (req, res) => void (req.url !== '/wait' && res.end(req.socket.remoteAddress))

async function start(options: ListenOptions, app = ANSWERS): Promise<void> {
  service = await listen(app, { host: '127.0.0.1', port: 0 }, options)
}

/**
 * @param from an address of this machine; 127.0.0.1 is its own, which is not counted.
 * @param allowHalfOpen the client never closes its own side, whatever the other does.
 */
async function open(from = '127.0.0.1', allowHalfOpen = false): Promise<Socket> {
  const port = Number(new URL(service.url).port)
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen })
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

// One address held all 10,000 places by one GET for each; everybody else was closed without an answer for 65 s.
test('beyond the connection limit a new connection is closed at once, until another one ends', async () => {
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

test('one address cannot take the share of others', async () => {
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

test('connections of a trusted proxy and of this machine are not limited', async () => {
  await start({ perAddress: 1, trusts: (peer) => peer === '127.0.0.4' })
  for (const from of ['127.0.0.4', '127.0.0.1']) {
    for (const socket of await Promise.all([1, 2, 3].map(() => open(from)))) expect(await ask(socket)).toBe(OK)
  }
})

test('at the connection limit idle connections are closed, requests in progress are not', async () => {
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

test('an idle connection is kept as long as the setting says', async () => {
  await start({ keepAlive: 620_000 })
  expect(await keepAlive(await open('127.0.0.2'))).toBe('620')
})

test('near the connection limit an idle connection is kept for 5 s instead of 65', async () => {
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

test('near the connection limit every address gets an equal share', async () => {
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

describe.each([
  { what: 'CONNECT', text: 'CONNECT example.com:443 HTTP/1.1\r\n\r\n', status: 'HTTP/1.1 405 Method Not Allowed' },
  { what: 'rubbish', text: 'no HTTP at all\r\n\r\n', status: 'HTTP/1.1 400 Bad Request' },
])('a client that is refused for $what', ({ text, status }) => {
  /** Asks, and never closes its own side. */
  async function refuse() {
    await start({ most: 1 })
    const socket = await open('127.0.0.1', true)
    expect((await answer(socket, text)).split('\r\n')[0]).toBe(status)
    return socket
  }
  const expectOthersServed = () => eventually(async () => expect(await ask(await open())).toBe(OK), 3000)

  test('and resets: the others are served', async () => {
    const refused = await refuse()
    refused.resetAndDestroy()
    await once(refused, 'close')
    await expectOthersServed()
  })
  test('and never closes: its place is freed', async () => {
    await refuse()
    await expectOthersServed()
  })
  test('and never closes: it does not delay the shutdown', async () => {
    await refuse()
    const started = performance.now()
    await service.stop(5000)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})

describe('a client that pipelines requests', () => {
  const GET = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'
  async function asking(count: number, app: RequestListener) {
    let made = 0
    await start({}, (req, res) => {
      made++
      app(req, res)
    })
    const socket = await open()
    let said = ''
    socket.on('data', (data) => (said += String(data)))
    socket.write(GET.repeat(count))
    const answers = async (least: number) => {
      while (said.split('HTTP/1.1 200 OK').length <= least) await sleep(2)
    }
    return { socket, answers, made: () => made }
  }

  test('gets sixteen at once answered in order', async () => {
    const { answers, made } = await asking(16, (_req, res) => void setTimeout(() => res.end('ok'), 5))
    await answers(16)
    expect(made()).toBe(16)
  })
  test('gets sixteen of a megabyte of requests served, and is disconnected', async () => {
    const { socket, made } = await asking(27_000, () => {})
    await new Promise((resolve) => socket.on('close', resolve))
    expect(made()).toBe(16)
  })
  test('can send more once it has read answers', async () => {
    const { socket, answers, made } = await asking(10, (_req, res) => void res.end('ok'))
    for (let round = 1; round < 10; round++) {
      await answers(round * 10)
      socket.write(GET.repeat(10))
    }
    await answers(100)
    expect(made()).toBe(100)
  })
})

async function keepAlive(socket: Socket): Promise<string | undefined> {
  const head = await answer(socket, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return /keep-alive: timeout=(\d+)/i.exec(head)?.[1]
}
