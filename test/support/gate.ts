/** A gate in this process, the site behind it, and real proxies by the samples of deploy/gate, without TLS. They end with the tests of the file. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from '@jest/globals'
import { withNewKey } from '../../packages/gate/src/keys.ts'
import type { Get } from '../../packages/gate/src/key-directories.ts'
import { serve } from '../../packages/gate/src/serve.ts'
import { SECRET, SITEKEY, type TestService } from './app.ts'
import { closeLater, newFolder } from './close-later.ts'
import { sleep } from './process.ts'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { start } from './proxies.ts'
import { token } from './visitor.ts'

/** Writes a configuration with its key and its secret. @returns its file. */
export function gateFiles(service: string, gate: object = {}, settings: object = {}): string {
  const folder = newFolder()
  const file = join(folder, 'hv-gate.yaml')
  writeFileSync(join(folder, 'key.json'), withNewKey(), { mode: 0o600 })
  writeFileSync(join(folder, 'secret'), `${SECRET}\n`, { mode: 0o600 })
  const config = {
    version: 1,
    service,
    listen: '127.0.0.1:0',
    ops_listen: '127.0.0.1:0',
    key_file: 'key.json',
    gates: [{ hosts: ['127.0.0.1'], sitekey: SITEKEY, secret_file: 'secret', ...gate }],
    ...settings,
  }
  writeFileSync(file, JSON.stringify(config, undefined, 2))
  return file
}

/** @param get fetches what agents publish. */
export async function startGate(file: string, get?: Get) {
  const lines: string[] = []
  const gate = await serve(file, (line) => lines.push(line), get)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= gate.stop()
    return stopped
  }
  const ops = async (path: string): Promise<string> => (await fetch(gate.opsUrl + path)).text()
  const lined = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const host = new URL(gate.url).host || gate.url
  return closeLater({ ...gate, host, file, stop, ops, lines: lined }, (it) => it.stop())
}

export const SITE_PAGE =
  '<!doctype html><title>the site</title><link rel="icon" href="data:,"><h1>the site</h1>'

/** A service worker that passes every request on, as the first line of a network-first one does; `?abortable`: so that it can end it. */
const WORKER = `const isAbortable = location.search === '?abortable'
addEventListener('fetch', (event) =>
  event.respondWith(isAbortable ? fetch(event.request, { signal: new AbortController().signal }) : fetch(event.request)))`

/** The site behind the gate: shows one page at every path but that of its service worker, and notes what it is asked. */
export async function startSite(shown = SITE_PAGE) {
  const seen: { method: string; url: string; headers: IncomingHttpHeaders; bytes: number }[] = []
  const server = createServer((req, res) => {
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    req.on('end', () => {
      const { method = '', url = '', headers } = req
      seen.push({ method, url, headers, bytes })
      if (url.startsWith('/worker.js'))
        return void res.setHeader('content-type', 'text/javascript').end(WORKER)
      const isEcho = url.startsWith('/echo')
      res.setHeader('content-type', isEcho ? 'application/json' : 'text/html; charset=utf-8')
      const page = method === 'OPTIONS' ? '' : shown
      res.end(isEcho ? JSON.stringify(headers) : page)
    })
  })
  server.on('upgrade', (req, socket) => {
    seen.push({ method: 'UPGRADE', url: req.url ?? '', headers: req.headers, bytes: 0 })
    // RFC 6455, 4.2.2
    const accept = createHash('sha1').update(
      `${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    )
    const head = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
    ]
    socket.end(`HTTP/1.1 101 Switching Protocols\r\n${head.join('\r\n')}\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const site = {
    host: `127.0.0.1:${port}`,
    seen,
    /** What was asked at a path, by visitors who were let in. */
    at: (url: string) => seen.filter((one) => one.url === url),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return closeLater(site, (it) => it.stop())
}

/** What a browser says of a page, and of a script's call. */
export const NAVIGATION = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}
export const FETCH = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }

/** Asks with the path and the headers as they are, which `fetch` tidies up. A header that is undefined is not sent. */
export async function ask(
  url: string,
  path: string,
  headers: Headers = {},
  { method = 'GET', body = '' } = {},
) {
  const { hostname, port, pathname } = new URL(url)
  const sent = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  )
  const to = hostname ? { hostname, port } : { socketPath: pathname }
  const req = request({ ...to, path, method, headers: sent, agent: false }).end(body)
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    req.on('response', resolve).on('error', reject)
    req.on('upgrade', (given, socket) => {
      socket.destroy()
      resolve(given)
    })
  })
  const cookie = res.headers['set-cookie']?.[0]?.split(';')[0]
  return {
    status: res.statusCode!,
    headers: res.headers,
    cookie,
    body: res.statusCode === 101 ? '' : await text(res),
  }
}
export type Headers = Readonly<Record<string, string | undefined>>

/** Exchanges a token as the page does. */
export function exchange(url: string, response: string, headers: Headers = {}, action = 'gate') {
  const body = new URLSearchParams({ 'svc-response': response, action }).toString()
  return ask(
    url,
    '/.hv/pass',
    { 'sec-fetch-site': 'same-origin', ...headers },
    {
      method: 'POST',
      body,
    },
  )
}

/** Visits the site at a gate of `127.0.0.1`, whatever it stands in or behind, without a clearance and then with one. */
export async function visitAll(url: string, { ask: asked }: Pick<TestService, 'ask'>) {
  const path = '/a?x=1&y=2&z=%2F'
  const [page, call] = [await ask(url, path, NAVIGATION), await ask(url, '/api', FETCH)]
  expect([page.status, page.headers.location, page.cookie]).toEqual([403, undefined, undefined])
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
  expect(page.headers.vary).toContain('Cookie')
  expect(page.body).toContain('/.hv/gate.js')
  expect(call.status).toBe(401)
  expect(call.headers['hv-required']).toMatch(/^sitekey="hv_site_testshop", /)
  expect(JSON.parse(call.body)).toMatchObject({
    error: 'verification required',
    action: 'gate',
    pass: '/.hv/pass',
  })
  expect((await ask(url, '/.hv/gate.css')).headers['content-type']).toMatch(/^text\/css/)

  const response = await token({ ...asked, action: 'gate', origin: url })
  const [first, second] = [await exchange(url, response), await exchange(url, response)]
  expect([first.status, second.status]).toEqual([204, 403])
  expect(first.cookie).toMatch(/^hv=.{200,347}$/)
  const { cookie } = first
  return {
    cookie,
    robots: await ask(url, '/robots.txt'),
    shown: await ask(url, path, { ...NAVIGATION, cookie }),
  }
}

const sample = (name: string): string =>
  readFileSync(new URL(`../../deploy/gate/${name}`, import.meta.url), 'utf8')
const withOurs = (written: string, gate: string, site: string): string =>
  written.replaceAll('127.0.0.1:8090', gate).replaceAll('127.0.0.1:3000', site)

/** @param change of the sample. */
type Change = (written: string) => string
const asIs: Change = (written) => written

export const PROXIES = {
  nginx: (gate: string, site: string, change = asIs) =>
    start('nginx', (port) =>
      change(withOurs(sample('nginx.conf'), gate, site))
        .replaceAll(/listen 443 ssl http2/g, `listen 127.0.0.1:${port}`)
        .replaceAll(/^ *ssl_.*$/gm, '')
        .replace('server_name www.example.com;', 'server_name 127.0.0.1 localhost;'),
    ),
  Caddy: (gate: string, site: string, change = asIs) =>
    start('caddy', (port) =>
      change(withOurs(sample('Caddyfile'), gate, site))
        .replace('www.example.com {', `http://:${port} {`)
        .replaceAll(':443', `:${port}`),
    ),
  HAProxy: (gate: string, site: string, change = asIs) =>
    start('haproxy', (port, folder) => {
      const lua = join(folder, 'hv-gate.lua')
      writeFileSync(lua, withOurs(sample('hv-gate.lua'), gate, site))
      return change(withOurs(sample('haproxy.cfg'), gate, site))
        .replace('/etc/haproxy/hv-gate.lua', lua)
        .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    }),
  Traefik: async (gate: string, site: string, change = asIs) => {
    const proxy = await start('traefik', (port, folder) => {
      const file = join(folder, 'dynamic.yaml')
      const written = change(withOurs(sample('traefik.yaml'), gate, site))
        .replaceAll('www.example.com', '127.0.0.1')
        .replaceAll(/^ *tls: \{\}\n/gm, '')
      writeFileSync(file, written)
      const entryPoint = change(`
    # forwardedHeaders: {trustedIPs: [192.0.2.0/24]}`)
      return `entryPoints:
  web:
    address: 127.0.0.1:${port}${entryPoint}
providers: {file: {filename: ${file}}}
log: {level: PANIC}
global: {checkNewVersion: false}
`
    })
    // It listens before it has read its routers.
    while ((await ask(proxy.url, '/.hv/gate.css')).status === 404) await sleep(20)
    return proxy
  },
  Envoy: (gate: string, site: string, change = asIs) =>
    start('envoy', (port) =>
      [gate, site].reduce(
        (written, at, i) =>
          written.replaceAll(`port_value: ${[8090, 3000][i]}`, `port_value: ${at.split(':')[1]}`),
        change(sample('envoy.yaml')).replace(
          'address: 0.0.0.0, port_value: 8080',
          `address: 127.0.0.1, port_value: ${port}`,
        ),
      ),
    ),
}

/** Traefik by its sample with the rows for a second gate: it asks itself, at an entry point of its own. */
export async function startTraefikForTwo(gates: readonly string[], site: string) {
  const [one = '', other = ''] = gates
  const own = `127.0.0.1:${await freePort()}`
  return PROXIES.Traefik(one, site, (written) => {
    if (!written.includes('forwardAuth'))
      return `${written}\n  gates: {address: "${own}", forwardedHeaders: {trustedIPs: [127.0.0.1]}}`
    return written
      .replace(/# (?=gates: {rule|- url)/g, '')
      .replace(`http://${one}/check`, `http://${own}/check`)
      .replace('127.0.0.1:8091', other)
  })
}

/** Networks of `startCdn`. */
export const CDN = '127.10.0.0/16'

/** The rows of each sample for such a proxy, with their comment signs. */
const CDN_ROWS: Readonly<Record<string, RegExp>> = {
  nginx: /# (?=set_real_ip_from|real_ip_)/g,
  Caddy: /# (?=trusted_proxies|header_up)/g,
  HAProxy: /# (?=http-request set-src)/g,
  Traefik: /# (?=trustForwardHeader|forwardedHeaders)/g,
  Envoy: /# (?=xff_num_trusted_hops)/g,
}
/** Returns a change of a sample that makes it name `CDN`. */
export const withCdnRows = (proxy: string) => (written: string) =>
  written.replaceAll(CDN_ROWS[proxy]!, '').replaceAll('192.0.2.0/24', CDN)

/** A proxy in front of another one, as a CDN is: each request comes from another of its networks, and it adds the visitor's address. */
export async function startCdn(url: string, visitor = '203.0.113.7') {
  let count = 0
  const server = createServer((req, res) => {
    const forwarded = [req.headers['x-forwarded-for'], visitor].filter(Boolean).join(', ')
    const headers = { ...req.headers, 'x-forwarded-for': forwarded }
    const from = { localAddress: `127.10.${count++ % 200}.1`, agent: false }
    const passedOn = request(
      new URL(req.url!, url),
      { ...from, method: req.method, headers },
      (given) => {
        res.writeHead(given.statusCode!, given.headers)
        given.pipe(res)
      },
    )
    passedOn.on('error', () => res.destroy())
    req.pipe(passedOn)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return closeLater({ url: `http://127.0.0.1:${port}`, stop }, (it) => it.stop())
}

/** nginx by its sample, TLS included: only there has the cookie of a clearance all of its attributes. */
export async function startNginxWithTls(gate: string, site: string) {
  const folder = newFolder()
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const made = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -keyout ${key} -out ${certificate}`
  execFileSync(needProgram('openssl'), made.split(' '), { stdio: 'pipe' })
  const proxy = await start('nginx', (port) =>
    withOurs(sample('nginx.conf'), gate, site)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replace('server_name www.example.com;', 'server_name 127.0.0.1;')
      // A browser names no address in its handshake, so nginx cannot reject it by that.
      .replace(
        'ssl_reject_handshake on;',
        `ssl_certificate ${certificate}; ssl_certificate_key ${key};`,
      )
      .replace('/etc/ssl/www.example.com.pem', certificate)
      .replace('/etc/ssl/www.example.com.key', key),
  )
  return { ...proxy, url: proxy.url.replace('http:', 'https:') }
}
