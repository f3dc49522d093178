/** The samples beside a stranger who costs them little: visitors at other addresses, and at his own, are served. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'
import { eventually, sleep } from '../../support/ledger-contract.ts'
import { findProgram } from '../../support/programs.mjs'
import {
  type Proxy,
  startCaddy,
  startComposeCaddy,
  startEnvoy,
  startHaproxy,
  startNginx,
  startTraefik,
} from '../../support/proxies.ts'
import { bytesOf, type RawRequest } from '../../support/raw.ts'
import { serve } from '../../support/serve.ts'

const STRANGER = '127.0.0.2'
const ELSEWHERE = '127.0.0.3'

/** Answers who sent a whole request, and notes whose requests began. */
const begun: string[] = []
const instance = await serve((req, res) => {
  if (req.url !== '/health') begun.push(req.url!)
  req.resume().on('end', () => res.end())
})

type Start = () => Promise<Proxy>
const PROXIES: [name: string, start: Start][] = [
  ['haproxy', () => startHaproxy([instance.url], [], { limited: true })],
  ['nginx', () => startNginx([instance.url], { limited: true })],
]
// .ci/run installs these; npm test does not, since it runs nothing behind them.
if (findProgram('caddy') !== undefined) {
  PROXIES.push(['Caddy', () => startCaddy([instance.url])])
  PROXIES.push(['the Caddy of compose', () => startComposeCaddy([instance.url])])
}
if (findProgram('traefik') !== undefined)
  PROXIES.push(['Traefik', () => startTraefik([instance.url])])
if (findProgram('envoy') !== undefined) PROXIES.push(['Envoy', () => startEnvoy([instance.url])])

interface Asked {
  readonly from?: string
  readonly method?: string
  readonly path?: string
  readonly agent?: Agent | false
}
/** Asks once. @returns the status, or the error's code. */
async function ask(
  url: string,
  { from = ELSEWHERE, method = 'POST', path = '/visit', agent = false }: Asked = {},
) {
  const asking = request(new URL(path, url), { method, agent, localAddress: from, timeout: 5000 })
  asking.once('timeout', () =>
    asking.destroy(Object.assign(new Error('no answer'), { code: 'no answer' })),
  )
  asking.end()
  return once(asking, 'response').then(
    async ([res]: IncomingMessage[]) => {
      await once(res!.resume(), 'end')
      return res!.statusCode
    },
    (error: NodeJS.ErrnoException) => error.code,
  )
}

/** A proxy that has found its instance well. */
async function ready(start: Start): Promise<string> {
  const { url } = await start()
  await eventually(async () => expect(await ask(url, { method: 'GET', path: '/health' })).toBe(200))
  begun.length = 0
  return url
}

/** Opens a connection from an address, with the first bytes that are sent on it. */
function open(url: string, bytes: Buffer | string, from = STRANGER): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from }).on(
    'error',
    () => {},
  )
  closeLater(socket, (it) => it.destroy())
  socket.write(bytes)
  return socket
}

async function expectServed(url: string, addresses: readonly string[], times = 5): Promise<void> {
  const answers = []
  for (let i = 0; i < times; i++)
    for (const from of addresses) answers.push(await ask(url, { from }))
  expect(answers).toEqual(answers.map(() => 200))
}

const EXPECT = ['Expect', '100-continue'] as const
const LARGE_HEADERS = Array.from({ length: 8 }, (_, i) => [`X-${i}`, 'x'.repeat(1000)] as const)
const BODIES: readonly {
  what: string
  method?: string
  headers: RawRequest['headers'] & {}
  sent: number
}[] = [
  { what: 'five bytes of a body', headers: [['Content-Length', '900']], sent: 5 },
  {
    what: 'five bytes of a body, of a GET,',
    method: 'GET',
    headers: [['Content-Length', '900']],
    sent: 5,
  },
  {
    what: 'most of the largest body',
    headers: [['Content-Length', '16384'], ...LARGE_HEADERS],
    sent: 16_000,
  },
  {
    what: 'the beginning of a body that is too large',
    headers: [['Content-Length', '20000']],
    sent: 16_384,
  },
]

describe.each(PROXIES)('%s', (_name, start) => {
  test.each(BODIES)(
    'serves visitors beside 120 requests of a stranger with $what',
    async ({ method = 'POST', headers, sent }) => {
      const url = await ready(start)
      // More than the requests that the samples of haproxy and Caddy give an instance at a time.
      const sockets = Array.from({ length: 120 }, () => {
        const bytes = bytesOf({ method, path: '/slow', headers: [EXPECT, ...headers] })
        return open(url, Buffer.concat([bytes, Buffer.alloc(sent)]))
      })
      // The proxy has read the heads: it asks for the bodies, or refuses them.
      let read = 0
      for (const socket of sockets) socket.once('data', () => read++)
      await eventually(() => expect(read).toBeGreaterThanOrEqual(100))
      await expectServed(url, [STRANGER, ELSEWHERE])
      expect(begun.filter((path) => path === '/slow')).toEqual([])
    },
  )

  test('serves visitors at the address of a stranger with 300 slow bodies', async () => {
    const url = await ready(start)
    const head = bytesOf({ path: '/slow', headers: [EXPECT, ['Content-Length', '900']] })
    const sockets = Array.from({ length: 300 }, () => open(url, head))
    await Promise.all(
      sockets.map((it) => new Promise((settle) => it.once('data', settle).once('close', settle))),
    )
    await expectServed(url, [STRANGER, ELSEWHERE])
    expect(begun.filter((path) => path === '/slow')).toEqual([])
  })

  test('serves visitors at the address of a stranger with 300 idle connections', async () => {
    const url = await ready(start)
    const get = bytesOf({ method: 'GET', path: '/health' })
    const sockets = Array.from({ length: 300 }, () => open(url, get))
    // nginx closes some where it has no more connections for itself.
    await Promise.all(
      sockets.map((it) => new Promise((settle) => it.once('data', settle).once('close', settle))),
    )
    await expectServed(url, [STRANGER, ELSEWHERE])
  })

  test('serves visitors at the address of a stranger who asks for what is free', async () => {
    const url = await ready(start)
    const script = { from: STRANGER, method: 'HEAD', path: '/assets/captcha.js' }
    expect(await flood(url, { ...script, times: 3000 })).toEqual({ 200: 3000 })
    await expectServed(url, [STRANGER, ELSEWHERE])
  })
})

/** Asks many times, on a few connections. @returns how often each status came. */
async function flood(url: string, { times, ...asked }: Asked & { readonly times: number }) {
  const agent = closeLater(new Agent({ keepAlive: true, maxSockets: 8 }), (it) => it.destroy())
  const answers = await Promise.all(
    Array.from({ length: times }, () => ask(url, { ...asked, agent })),
  )
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer!] = (counts[answer!] ?? 0) + 1
  return counts
}

// The samples of Caddy and Envoy have no such limit, and leave it to the service.
describe.each(PROXIES.filter(([name]) => !/Caddy|Envoy/.test(name)))(
  'the limit of requests in %s',
  (_name, start) => {
    test('refuses the excess, but no siteverify, nothing that is free, and nobody elsewhere', async () => {
      const url = await ready(start)
      const answered = await flood(url, { from: STRANGER, times: 2000 })
      expect(answered[200]).toBeGreaterThanOrEqual(600)
      expect(answered[429]).toBeGreaterThan(0)
      expect(await ask(url, { from: STRANGER, path: '/api/v1/siteverify' })).toBe(200)
      expect(await ask(url, { from: STRANGER, method: 'GET', path: '/assets/captcha.js' })).toBe(
        200,
      )
      await expectServed(url, [ELSEWHERE])
    })

    test('does not count what it refused: of 300 a second some are served', async () => {
      const url = await ready(start)
      await flood(url, { from: STRANGER, times: 700 })
      let served = 0
      // The rate of haproxy is over ten seconds.
      for (let second = 0; second < 13; second++) {
        const { 200: passed = 0 } = await flood(url, { from: STRANGER, times: 300 })
        served += passed
        await sleep(900)
      }
      expect(served).toBeGreaterThan(60)
    })
  },
)

test('haproxy with half of its connections in use holds an address to 256', async () => {
  const change = (sample: string) => sample.replace('fe_conn gt 10000', 'fe_conn gt 200')
  const url = await ready(() => startHaproxy([instance.url], [], { limited: true, change }))
  for (let i = 0; i < 256; i++)
    await once(open(url, bytesOf({ method: 'GET', path: '/health' })), 'data')
  expect(await ask(url, { from: STRANGER })).toBe('ECONNRESET')
  await expectServed(url, [ELSEWHERE])
})
