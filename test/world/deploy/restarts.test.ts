/** The samples while one of two processes is away, or busy: no request is refused. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'
import { ask, exchange, PROXIES, startSite, startTraefikForTwo } from '../../support/gate.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { findProgram, type ProgramName } from '../../support/programs.mjs'
import {
  startCaddy,
  startEnvoy,
  startHaproxy,
  startNginx,
  startTraefik,
} from '../../support/proxies.ts'
import { serve } from '../../support/serve.ts'

/** Milliseconds before an answer, so that the process that stays is busy: a proxy may prefer an idle one, which has gone. */
const BUSY_MS = 20

type Process = Awaited<ReturnType<typeof restartable>>

/** A program that is restarted on its port, and takes so many milliseconds for an answer. */
async function restartable(answer: RequestListener, busyMs = BUSY_MS) {
  let server: Server | undefined
  let answered = 0
  const sockets = new Set<Socket>()
  async function begin(port: number): Promise<number> {
    server = createServer((req, res) => {
      if (req.url === '/health') return void res.end()
      setTimeout(() => {
        answered++
        answer(req, res)
      }, busyMs)
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  /** Ends when the proxy has closed its side as well: it could send a request on a connection that it takes for open. */
  async function stop(): Promise<void> {
    await Promise.all([...sockets].map((socket) => once(socket.end(), 'close')))
    if (!server?.listening) return
    const closed = once(server, 'close')
    server.close()
    await closed
  }
  const port = await begin(0)
  const host = `127.0.0.1:${port}`
  return closeLater({ host, stop, start: () => begin(port), answered: () => answered }, (it) =>
    it.stop(),
  )
}

/** Asks while the first one is away, and while the second one is. @param checks the proxy has to find the first one well again. */
async function statusesOf(url: string, processes: readonly Process[], checks: boolean) {
  const statuses: number[] = []
  const asked = async () => void statuses.push((await ask(url, '/')).status)
  const lane = async () => {
    for (let i = 0; i < 15; i++) await asked()
  }
  for (const each of processes) {
    await each.stop()
    await Promise.all(Array.from({ length: 20 }, lane))
    await each.start()
    if (!checks) continue
    const before = each.answered()
    while (each.answered() === before) await asked()
  }
  return new Set(statuses)
}

// .ci/run installs Caddy, Traefik and Envoy; npm test does not, since it runs nothing behind them.
const has = (name: string) => findProgram(name.toLowerCase() as ProgramName) !== undefined

const SERVICE = [
  { name: 'nginx', start: startNginx, checks: false },
  { name: 'HAProxy', start: startHaproxy, checks: true },
  { name: 'Caddy', start: startCaddy, checks: false },
  { name: 'Traefik', start: startTraefik, checks: true },
  { name: 'Envoy', start: startEnvoy, checks: true },
].filter(({ name }) => has(name))

describe.each(SERVICE)('$name in front of the service', ({ start, checks }) => {
  test('asks the process that stays', async () => {
    const processes = [
      await restartable((_req, res) => void res.end()),
      await restartable((_req, res) => void res.end()),
    ]
    const { url } = await start(processes.map(({ host }) => `http://${host}`))
    await eventually(async () => expect((await ask(url, '/')).status).toBe(200))
    expect(await statusesOf(url, processes, checks)).toEqual(new Set([200]))
  })
})

test.each(SERVICE.filter(({ checks }) => checks))(
  '$name looks after a process that no visitor has asked for yet',
  async ({ start }) => {
    let looks = 0
    const { url } = await serve((_req, res) => {
      looks++
      res.end()
    })
    await start([url])
    await eventually(() => expect(looks).toBeGreaterThan(2))
  },
)

/** Starts the sample with its rows for a second gate. */
type StartForTwo = (one: string, other: string, site: string) => Promise<{ url: string }>
const GATES: Readonly<Record<keyof typeof PROXIES, StartForTwo>> = {
  nginx: (one, other, site) =>
    PROXIES.nginx(one, site, (written) =>
      written.replace('# server 127.0.0.1:8091', `server ${other}`),
    ),
  Caddy: (one, other, site) =>
    PROXIES.Caddy(one, site, (written) => written.replaceAll(` ${one} {`, ` ${one} ${other} {`)),
  HAProxy: (one, other, site) =>
    PROXIES.HAProxy(one, site, (written) =>
      written
        .replace('global', `global\n    setenv HV_GATE "http://${one} http://${other}"`)
        .replace('# server gate2 127.0.0.1:8091', `server gate2 ${other}`),
    ),
  Traefik: (one, other, site) => startTraefikForTwo([one, other], site),
  Envoy: (one, other, site) =>
    PROXIES.Envoy(one, site, (written) =>
      written.replace(/# (- endpoint: .*)8091(.*)/, `$1${other.split(':')[1]}$2`),
    ),
}

/** Lets everyone in. Envoy asks for 200, HAProxy for 204. */
const open =
  (name: string): RequestListener =>
  (_req, res) =>
    void res
      .writeHead(name === 'Envoy' ? 200 : 204, {
        'x-hv-clearance': 'none',
        'x-hv-guest': 'unknown',
      })
      .end()

describe.each(Object.entries(GATES).filter(([name]) => has(name)))(
  '%s in front of a site',
  (name, startForTwo) => {
    test('asks the gate that stays', async () => {
      const gates = [await restartable(open(name)), await restartable(open(name))]
      const app = await startSite()
      const { url } = await startForTwo(gates[0]!.host, gates[1]!.host, app.host)
      expect(await statusesOf(url, gates, false)).toEqual(new Set([200]))
    })

    // Traefik asks no other gate once it has sent a check, and its visitor gets 502.
    ;(name === 'Traefik' ? test.skip : test)(
      'asks another gate where one closes the connection, and sends a token once',
      async () => {
        let tokens = 0
        const closing = await restartable((req) => {
          if (req.method === 'POST') tokens++
          req.socket.destroy()
        })
        const gate = await restartable(open(name))
        const app = await startSite()
        const { url } = await startForTwo(closing.host, gate.host, app.host)
        for (let i = 0; i < 4; i++) expect((await ask(url, '/')).status).toBe(200)
        expect(closing.answered()).toBeGreaterThan(0)
        const sent = Array.from({ length: 4 }, () => exchange(url, 'a token'))
        const statuses = (await Promise.all(sent)).map(({ status }) => status)
        expect(statuses.filter((status) => status >= 500)).toHaveLength(tokens)
      },
    )

    test('waits for a gate that takes a fifth of a second', async () => {
      const gate = await restartable(open(name), 200)
      const app = await startSite()
      const { url } = await startForTwo(gate.host, gate.host, app.host)
      expect((await ask(url, '/')).status).toBe(200)
    })
  },
)

test('HAProxy in front of a site begins with the gate that answered last', async () => {
  const broken = await restartable((_req, res) => void res.writeHead(500).end())
  const gate = await restartable(open('HAProxy'))
  const app = await startSite()
  const { url } = await GATES.HAProxy(broken.host, gate.host, app.host)
  for (let i = 0; i < 5; i++) expect((await ask(url, '/')).status).toBe(200)
  expect(broken.answered()).toBe(1)
})
