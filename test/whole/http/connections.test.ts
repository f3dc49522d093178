/** docs/design/threats.md#t17: no client takes all connections, keeps one after a refusal, or sends requests without reading the answers. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Listening, listen, type ListenOptions } from '../../../src/http/listen.ts'
import { closeLater } from '../../support/close-later.ts'
import { eventually, sleep } from '../../support/ledger-contract.ts'
import { ROOT } from '../../support/root.ts'

let service: Listening

const OK = 'HTTP/1.1 200 OK'

/** Never answers /wait: a request in progress. /large is more than the system keeps for a client that does not read. */
const ANSWERS: RequestListener = (req, res) =>
  void (
    req.url !== '/wait' &&
    res.end(req.url === '/large' ? Buffer.alloc(1 << 25) : req.socket.remoteAddress)
  )

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
const openMany = (count: number, from?: string) =>
  Promise.all(Array.from({ length: count }, () => open(from)))

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
test('beyond the connection limit a new connection is closed immediately, until another one ends', async () => {
  await start({ most: 5 })
  const first = await openMany(5)
  await expectServed(...first)

  const late = await openMany(10)
  await Promise.all(
    late.filter(({ destroyed }) => !destroyed).map((socket) => once(socket.resume(), 'close')),
  )
  await expectServed(...first)

  await close(first[0]!)
  await expectServed(await open())
})

const WAIT = 'GET /wait HTTP/1.1\r\nHost: a\r\n\r\n'
/** Opens connections whose requests are never answered. */
async function openBusy(count: number, from: string): Promise<Socket[]> {
  const busy = await openMany(count, from)
  for (const socket of busy) socket.write(WAIT)
  await sleep(50)
  return busy
}

test('one address cannot take the share of others', async () => {
  const told: number[] = []
  await start({ perAddress: 3, crowded: (crowd) => told.push(crowd) })
  const [first, ...held] = await openBusy(3, '127.0.0.2')
  expect(await ask(await open('127.0.0.2'))).toBe('')
  await expectServed(await open('127.0.0.3'))
  expect(held.map(({ destroyed }) => destroyed)).toEqual([false, false])

  first!.destroy()
  await sleep(50)
  await expectServed(await open('127.0.0.2'))
  await eventually(() => expect(told).toEqual([1]))
})

test('an address at its limit loses its oldest connection that waits for its client, not its newest visitor', async () => {
  const told: number[] = []
  await start({ perAddress: 4, crowded: (crowd) => told.push(crowd) })
  const elsewhere = await open('127.0.0.3')
  const [busy] = await openBusy(1, '127.0.0.2')
  const [idle, , silent] = [
    await open('127.0.0.2'),
    await open('127.0.0.2'),
    await open('127.0.0.2'),
  ]
  await expectServed(idle, elsewhere)

  const gone = once(idle, 'close')
  await expectServed(await open('127.0.0.2'))
  await gone
  await expectServed(silent, elsewhere)
  // Connections that come together each take another place, and the address keeps to its limit.
  const crowd = await openMany(40, '127.0.0.2')
  await eventually(() => expect(crowd.filter(({ destroyed }) => !destroyed)).toHaveLength(3))
  await expectServed(crowd.at(-1)!, elsewhere)
  expect([busy!.destroyed, told]).toEqual([false, []])
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

test('an idle connection is kept for the configured time', async () => {
  await start({ keepAlive: 620_000 })
  expect(await answer(await open('127.0.0.2'))).toMatch(/\r\nkeep-alive: timeout=620\r\n/i)
})

describe.each([
  {
    what: 'CONNECT',
    text: 'CONNECT example.com:443 HTTP/1.1\r\n\r\n',
    status: 'HTTP/1.1 405 Method Not Allowed',
  },
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

describe('a client that sends a request before the last one is answered', () => {
  async function asking(text: string, app: RequestListener) {
    let made = 0
    await start({ perAddress: 1 }, (req, res) => {
      made++
      app(req, res)
    })
    const socket = await open('127.0.0.2')
    let said = ''
    socket.on('data', (data) => {
      said += String(data)
    })
    socket.write(text)
    return { socket, made: () => made, said: () => said }
  }
  const OTHER = GET.replace('/ ', '/other ')

  test.each([
    { when: 'at once', app: (_req, res) => void res.end('one') },
    { when: 'later', app: (_req, res) => void setTimeout(() => res.end('one'), 50) },
  ] satisfies { when: string; app: RequestListener }[])(
    'gets the first answer $when and no other, and keeps its place',
    async ({ app }) => {
      const { socket, made, said } = await asking(GET + OTHER.repeat(15), app)
      await eventually(() => expect(said()).toMatch(/one/))
      // No more requests are looked at, and no other connection of the address takes the place.
      socket.write(OTHER)
      expect(await ask(await open('127.0.0.2'))).toBe('')
      socket.destroy()
      expect(await ask(await open('127.0.0.2'))).toBe('')
      expect([said().match(/HTTP/g), said().match(/one/g), made()]).toEqual([['HTTP'], ['one'], 1])
    },
  )

  test('is disconnected after ten seconds', async () => {
    const { socket } = await asking(GET + OTHER, (_req, res) => void res.end('one'))
    const started = performance.now()
    await once(socket, 'close')
    expect(performance.now() - started).toBeGreaterThan(5000)
    await expectServed(await open('127.0.0.2'))
  })

  test('is not read any further', async () => {
    let bytesRead = (): number => 0
    const { socket, made } = await asking(GET + OTHER, (req) => {
      bytesRead = () => req.socket.bytesRead
    })
    await eventually(() => expect(made()).toBe(1))
    // Large requests, since Node.js parses all that one read brings.
    const large = OTHER.replace('Host', `X: ${'x'.repeat(8000)}\r\nHost`)
    socket.write(large.repeat(1000))
    await sleep(500)
    expect([made(), bytesRead() < 1 << 20]).toEqual([1, true])
  })
})

test('on one connection, each request after the answer to the last one is served', async () => {
  await start({})
  const socket = await open()
  for (let i = 0; i < 4; i++) await expectServed(socket)
})

const canUnshare = spawnSync('unshare', ['-n', 'true']).status === 0
;(canUnshare ? test : test.skip)('where IPv6 is switched off, [::] is reached over IPv4', () => {
  const listener = JSON.stringify(join(ROOT, 'dist/http/listen.js'))
  const program = `const { listen } = await import(${listener})
    const { url } = await listen((_req, res) => res.end('ok'), { host: '::', port: 0 })
    process.stdout.write(await (await fetch('http://127.0.0.1:' + new URL(url).port)).text(), () => process.exit(0))`
  const off =
    'ip link set lo up && sysctl -qw net.ipv6.conf.all.disable_ipv6=1 && exec "$0" --input-type=module -e "$1"'
  const { stdout } = spawnSync('unshare', ['-n', 'sh', '-c', off, process.execPath, program], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('ok')
})

// Both addresses of deploy/: where the machine has no IPv6, Node.js listens on IPv4 alone.
test.each([
  { where: 'the image', file: 'Dockerfile', pattern: /HV_LISTEN=\[(.+?)\]:8080/ },
  {
    where: 'Kubernetes',
    file: 'deploy/kubernetes/deployment.yaml',
    pattern: /HV_LISTEN, value: '\[(.+?)\]:8080'/,
  },
])('the address of $where is reached over IPv6 and IPv4', async ({ file, pattern }) => {
  const [, host = ''] = pattern.exec(readFileSync(join(ROOT, file), 'utf8'))!
  service = closeLater(await listen(ANSWERS, { host, port: 0 }), (it) => it.stop(0))
  const { port } = new URL(service.url)
  const peer = async (at: string) => (await fetch(`http://${at}:${port}`)).text()
  expect([await peer('127.0.0.1'), await peer('[::1]')]).toEqual(['::ffff:127.0.0.1', '::1'])
})

test('headers of more than 16 kB get 431 in our shape, and are counted once a second', async () => {
  const counted: number[] = []
  await start({ oversized: (requests) => counted.push(requests) })
  const lines = Array.from({ length: 9 }, (_, i) => `X-${i}: ${'a'.repeat(2000)}`)
  for (const headers of [[`Cookie: ${'a'.repeat(20_000)}`], lines]) {
    const said = await answer(await open(), ['GET / HTTP/1.1', ...headers, '', ''].join('\r\n'))
    expect(said).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
    expect(said).toMatch(/\r\n\r\n{"success":false,"error-codes":\["bad-request"\]}$/)
  }
  await eventually(() => expect(counted).toEqual([2]), 5000)
})
