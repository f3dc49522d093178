/** docs/design/threats.md#t17: no client takes all connections, holds one that it was refused, or asks for more than it takes. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Listening, listen, type ListenOptions } from '../../../src/http/listen.ts'
import { closeLater } from '../../support/close-later.ts'
import { eventually, sleep } from '../../support/ledger-contract.ts'

let service: Listening

const OK = 'HTTP/1.1 200 OK'

/** Never answers /wait: a request in progress. /large is more than the system keeps for a client that does not read. */
const ANSWERS: RequestListener = (req, res) =>
  void (req.url !== '/wait' && res.end(req.url === '/large' ? Buffer.alloc(1 << 25) : req.socket.remoteAddress))

async function start(options: ListenOptions, app = ANSWERS): Promise<void> {
  service = await listen(app, { host: '127.0.0.1', port: 0 }, options)
  closeLater(service, (it) => it.stop(0))
}

/**
 * @param from an address of this machine; 127.0.0.1 is its own, which is not counted.
 * @param allowHalfOpen the client never closes its own side, whatever the other does.
 */
async function open(from = '127.0.0.1', allowHalfOpen = false): Promise<Socket> {
  const port = Number(new URL(service.url).port)
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen })
  socket.on('error', () => {})
  closeLater(socket, (it) => it.destroy())
  await once(socket, 'connect')
  return socket
}
const openMany = (count: number, from?: string) => Promise.all(Array.from({ length: count }, () => open(from)))

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** @returns the answer; '' where the connection ends without one. */
async function answer(socket: Socket, bytes = GET): Promise<string> {
  if (socket.closed) return ''
  const ended = once(socket, 'close').then(() => [''])
  socket.write(bytes)
  return String((await Promise.race([once(socket, 'data'), ended]))[0])
}
const ask = async (socket: Socket, bytes?: string) => (await answer(socket, bytes)).split('\r\n')[0]

async function expectServed(...served: readonly Socket[]): Promise<void> {
  for (const socket of served) expect(await ask(socket)).toBe(OK)
}
/** Ends a connection, and waits for it. */
async function close(socket: Socket): Promise<void> {
  socket.end()
  await once(socket, 'close')
}

// One address held all 10,000 places by one GET for each; everybody else was closed without an answer for 65 s.
test('beyond the connection limit a new connection is closed at once, until another one ends', async () => {
  await start({ most: 5 })
  const first = await openMany(5)
  await expectServed(...first)

  const late = await openMany(10)
  await Promise.all(late.filter(({ destroyed }) => !destroyed).map((socket) => once(socket.resume(), 'close')))
  await expectServed(...first)

  await close(first[0]!)
  await expectServed(await open())
})

test('one address cannot take the share of others', async () => {
  const told: number[] = []
  await start({ perAddress: 3, crowded: (crowd) => told.push(crowd) })
  const held = await openMany(3, '127.0.0.2')
  await expectServed(...held)
  expect(await ask(await open('127.0.0.2'))).toBe('')
  await expectServed(await open('127.0.0.3'), ...held)

  await close(held[0]!)
  await expectServed(await open('127.0.0.2'))
  await eventually(() => expect(told).toEqual([1]))
})

test('connections of a trusted proxy and of this machine are not limited', async () => {
  await start({ perAddress: 1, trusts: (peer) => peer === '127.0.0.4' })
  for (const from of ['127.0.0.4', '127.0.0.1']) await expectServed(...(await openMany(3, from)))
})

test('at the connection limit those that wait for their client are closed, requests in progress are not', async () => {
  await start({ most: 5 })
  const waiting = await open('127.0.0.2')
  waiting.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n')
  const idle = await open('127.0.0.3')
  await expectServed(idle)
  const slow = await open('127.0.0.4')
  const post = 'POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n'
  expect(await ask(slow, post)).toBe('HTTP/1.1 100 Continue')
  const deaf = await open('127.0.0.5')
  expect(await ask(deaf, 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n')).toBe(OK)
  deaf.pause()
  const silent = await open('127.0.0.6')

  for (const closed of [idle, slow]) {
    const gone = once(closed, 'close')
    await expectServed(await open('127.0.0.7'))
    await gone
  }
  await expectServed(await open('127.0.0.7'))
  expect([waiting.destroyed, silent.destroyed]).toEqual([false, false])
})

test('an idle connection is kept as long as the setting says', async () => {
  await start({ keepAlive: 620_000 })
  expect(await answer(await open('127.0.0.2'))).toMatch(/\r\nkeep-alive: timeout=620\r\n/i)
})

describe.each([
  { what: 'CONNECT', text: 'CONNECT example.com:443 HTTP/1.1\r\n\r\n', status: 'HTTP/1.1 405 Method Not Allowed' },
  { what: 'rubbish', text: 'no HTTP at all\r\n\r\n', status: 'HTTP/1.1 400 Bad Request' },
])('a client that is refused for $what', ({ text, status }) => {
  let refused: Socket
  beforeEach(async () => {
    await start({ most: 1 })
    // It never closes its own side.
    refused = await open('127.0.0.1', true)
    expect(await ask(refused, text)).toBe(status)
  })
  const expectOthersServed = () => eventually(async () => expectServed(await open()), 3000)

  test('and resets: the others are served', async () => {
    refused.resetAndDestroy()
    await once(refused, 'close')
    await expectOthersServed()
  })
  test('and never closes: its place is freed', () => expectOthersServed())
  test('and never closes: it does not delay the shutdown', async () => {
    const started = performance.now()
    await service.stop(5000)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})

describe('a client that pipelines requests', () => {
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
    const { socket, made } = await asking(34_000, () => {})
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
