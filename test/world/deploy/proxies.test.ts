/** The samples for proxies and systemd: each program accepts its file, and no visitor can choose an address. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { SHAPES } from '../../../src/http/vendor-shapes.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { freePort } from '../../support/ports.mjs'
import { sleep } from '../../support/process.ts'
import { findProgram, needProgram, type ProgramName } from '../../support/programs.mjs'
import {
  type Certificate,
  type Proxy,
  startCaddy,
  startEnvoy,
  startHaproxy,
  startNginx,
  startTraefik,
} from '../../support/proxies.ts'
import { bytesOf, type RawRequest, receive } from '../../support/raw.ts'
import { ROOT } from '../../support/root.ts'
import { serve } from '../../support/serve.ts'
import { certificates } from '../store/secured.ts'

const sample = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8')

const instance = await serve((req, res) => res.end(JSON.stringify(req.headers)))

const VISITOR = '127.0.0.9'
/** What no proxy passes on from a visitor. */
const LIES = [
  ['X-Forwarded-For', '192.0.2.1'],
  ['Forwarded', 'for=192.0.2.1'],
  ['X-JA4', 't13d1517h2'],
  ['X-Request-Id', 'a-lie-for-the-log'],
] as const

/** @returns the status, and the visitor's address as the service got it. */
async function ask(url: string, headers: RawRequest['headers'] = []) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: VISITOR })
  socket.write(bytesOf({ method: 'GET', path: '/', headers }))
  const [answer] = await receive(socket)
  const { status, body } = answer!
  if (status !== 200) return [status]
  expect(body.toString()).not.toMatch(/192\.0\.2\.1|t13d|a-lie/)
  return [status, (JSON.parse(body.toString()) as IncomingHttpHeaders)['x-forwarded-for']]
}

// .ci/run installs Caddy, Traefik and Envoy; npm test does not, since it runs nothing behind them.
const has = (program: ProgramName) => findProgram(program) !== undefined
interface Sample {
  readonly name: string
  readonly start: (urls: readonly string[], tls?: Certificate) => Promise<Proxy>
  /** What a request with 1,100 lines gets. */
  readonly many: unknown[]
}
const SAMPLES: readonly Sample[] = [
  { name: 'haproxy', start: (urls) => startHaproxy(urls), many: [400] },
  {
    name: 'nginx',
    start: (urls, tls) => startNginx(urls, tls && { tls }),
    many: [400],
  },
  ...(has('caddy') ? [{ name: 'Caddy', start: startCaddy, many: [400] }] : []),
  ...(has('traefik') ? [{ name: 'Traefik', start: startTraefik, many: [400] }] : []),
  ...(has('envoy') ? [{ name: 'Envoy', start: startEnvoy, many: [431] }] : []),
]

test.each(SAMPLES)(
  'the sample of $name forwards the address of the visitor and nothing that the visitor forged',
  async ({ start, many }) => {
    const proxy = await start([instance.url])
    // A proxy finds its instance well first.
    while ((await ask(proxy.url))[0] !== 200) await sleep(50)
    expect(await ask(proxy.url, LIES)).toEqual([200, VISITOR])
    // 1,100 lines hide no lie behind them.
    const lines = Array.from({ length: 1100 }, (_, i) => [`a${i % 9}`, '1'] as const)
    expect(await ask(proxy.url, [...lines, ...LIES])).toEqual(many)
  },
)

const tls = certificates()
test.each(SAMPLES.filter(({ name }) => name !== 'haproxy'))(
  'the sample of $name does so over TLS with HTTP/2 too, for twenty requests at once',
  async ({ start }) => {
    const proxy = await start([instance.url], tls)
    const url = proxy.url.replace('http:', 'https:')
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), localAddress: VISITOR })
    const session = connectHttp2(url, { ca: readFileSync(tls.ca), socket })
    closeLater(session, (it) => it.close())
    const asked = async () => {
      const stream = session.request({ ':path': '/', ...Object.fromEntries(LIES) })
      const [head] = (await once(stream, 'response')) as [{ ':status': number }]
      const body = await text(stream)
      expect(body).not.toMatch(/192\.0\.2\.1|t13d|a-lie/)
      return [head[':status'], body && (JSON.parse(body) as IncomingHttpHeaders)['x-forwarded-for']]
    }
    while ((await asked())[0] !== 200) await sleep(50)
    const answers = await Promise.all(Array.from({ length: 20 }, asked))
    expect(answers).toEqual(Array.from({ length: 20 }, () => [200, VISITOR]))
  },
)

/** Takes the requests of visitors, and leaves them unanswered; answers checks. */
let waiting = 0
const slow = await serve((req, res) => {
  if (req.url === '/health') return void res.end()
  waiting++
  res.once('close', () => waiting--)
})
describe('a busy instance gets no more concurrent requests than the sample allows', () => {
  /** Asks 150 times at once. @returns the most that the instance had at a time, and its health after a second of it. */
  async function most(url: string) {
    while ((await fetch(`${url}/health`)).status !== 200) await sleep(50)
    const { hostname, port } = new URL(url)
    for (let i = 0; i < 150; i++) {
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
      closeLater(socket, (it) => it.destroy())
      socket.write(bytesOf({ method: 'GET', path: '/wait' }))
    }
    let seen = 0
    for (const ends = performance.now() + 1500; performance.now() < ends; await sleep(20))
      seen = Math.max(seen, waiting)
    return seen
  }
  test('haproxy', async () => expect(await most((await startHaproxy([slow.url])).url)).toBe(100))
  ;(has('caddy') ? test : test.skip)('Caddy', async () =>
    expect(await most((await startCaddy([slow.url])).url)).toBe(100),
  )
  ;(has('envoy') ? test : test.skip)('Envoy', async () =>
    expect(await most((await startEnvoy([slow.url])).url)).toBe(100),
  )
})

const LIMITED: readonly Pick<Sample, 'name' | 'start'>[] = [
  { name: 'haproxy', start: (urls) => startHaproxy(urls, [], { limited: true }) },
  { name: 'nginx', start: (urls) => startNginx(urls, { limited: true }) },
  ...SAMPLES.filter(({ name }) => name === 'Traefik'),
]
const PATHS = ['/api/v1/siteverify', ...Object.values(SHAPES).map(({ path }) => path)].map((path) =>
  path.replace('{sitekey}', 'hv_site_abcdefgh'),
)
test.each(LIMITED)(
  'the sample of $name limits what an address sends, and siteverify on none of its paths',
  async ({ start }) => {
    const { url } = await start([instance.url])
    const post = async (path: string) => (await fetch(url + path, { method: 'POST' })).status
    while ((await fetch(url)).status !== 200) await sleep(50)
    const statuses = new Map<string, Set<number>>()
    const seen = new Set<number>()
    const flood = Array.from({ length: 8 }, async () => {
      while (statuses.size < PATHS.length) seen.add(await post('/api/v1/solve'))
    })
    while (!seen.has(429)) await sleep(20)
    for (const path of PATHS)
      statuses.set(path, new Set(await Promise.all(Array.from({ length: 30 }, () => post(path)))))
    await Promise.all(flood)
    expect([...statuses]).toEqual(PATHS.map((path) => [path, new Set([200])]))
  },
)

const folder = newFolder()
const said = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder })
  return { status, said: `${stdout}${stderr}` }
}

test('nginx accepts its sample, with TLS', async () => {
  const fragment = sample('nginx/human-verification.conf')
    // nginx opens the port to try it: 443 may be in use here, or root's.
    .replace('listen 443 ', `listen ${await freePort()} `)
    .replace('/etc/ssl/verify.example.com.pem', tls.cert)
    .replace('/etc/ssl/verify.example.com.key', tls.key)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${fragment}\n}\n`,
  )
  const nginx = said(
    needProgram('nginx'),
    '-t',
    '-q',
    '-p',
    folder,
    '-e',
    join(folder, 'error.log'),
    '-c',
    file,
  )
  expect(nginx).toEqual({ status: 0, said: '' })
})

const systemd = findProgram('systemdAnalyze')
;(systemd === undefined ? test.skip : test)(
  'systemd accepts the unit and rates its exposure as low',
  () => {
    const unit = join(ROOT, 'deploy/systemd/human-verification@.service')
    const analysed = said(systemd!, 'security', '--offline=true', '--threshold=20', unit)
    expect(analysed).toEqual({ status: 0, said: expect.stringContaining('OK') })
    // V8 calls pkey_alloc, which @system-service of systemd 252 lacks: without @pkey the filter kills the process.
    expect(readFileSync(unit, 'utf8')).toMatch(/^SystemCallFilter=@system-service @pkey$/m)
  },
)
