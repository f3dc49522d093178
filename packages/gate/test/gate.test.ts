/** The gate as proxies meet it, beside the real service in this process. */
import { spawnSync } from 'node:child_process'
import { pbkdf2 } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../../test/support/app.ts'
import { newFolder } from '../../../test/support/close-later.ts'
import {
  ask,
  exchange,
  FETCH,
  gateFiles,
  type Headers,
  NAVIGATION,
  startGate,
} from '../../../test/support/gate.ts'
import { BROWSER, token } from '../../../test/support/visitor.ts'

const hosts = ['www.example.com', '*.docs.example.com']
const service = await testService({ siteList: [site({ hostnames: hosts })] })
const start = (change: object = {}, settings: object = {}) =>
  startGate(gateFiles(service.base, { hosts, ...change }, settings))
const gate = await start()
const ORIGIN = 'https://www.example.com'

/** What a proxy tells of a request, in the dialect of Caddy and Traefik. */
const told = (change: Headers = {}): Headers => ({
  host: 'www.example.com',
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': '/',
  'x-forwarded-host': 'www.example.com',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
  ...change,
})
const toldByNginx = (change: Headers = {}) => {
  const none = { 'x-forwarded-uri': undefined, 'x-forwarded-method': undefined }
  return told({ ...none, 'x-original-uri': '/', 'x-original-method': 'GET', ...change })
}
const check = (change: Headers = {}, at = gate) => ask(at.url, '/check/forward', told(change))
const newToken = (action = 'gate', origin = ORIGIN) => token({ ...service.ask, action, origin })
const pass = (response: string, change: Headers = {}, at = gate, action = 'gate') =>
  exchange(at.url, response, told(change), action)
const cookieOf = async (at = gate) => (await pass(await newToken(), {}, at)).cookie
const CLEARANCE = await cookieOf()

test('the dialect of nginx answers a bare 401, and lets a clearance in with its id', async () => {
  const { status, headers, body } = await ask(gate.url, '/check/nginx', toldByNginx())
  expect([status, body, headers['content-type'], headers['set-cookie']]).toEqual([
    401,
    '',
    undefined,
    undefined,
  ])
  const open = await ask(gate.url, '/check/nginx', toldByNginx({ cookie: CLEARANCE }))
  expect([open.status, open.headers['x-hv-clearance']]).toEqual([
    204,
    expect.stringMatching(/^[\w-]{22}$/),
  ])
})

const NEEDED = 'x-original-uri x-original-method x-forwarded-host x-forwarded-proto x-forwarded-for'
test.each(NEEDED.split(' '))(
  'it names the header %s when it is missing, and lets nobody in',
  async (name) => {
    const { status, body } = await ask(gate.url, '/check/nginx', toldByNginx({ [name]: undefined }))
    expect([status, body]).toEqual([500, `{"error":"the proxy sends no ${name}"}`])
  },
)

test('each dialect reads its own headers, whatever a visitor sends of the others', async () => {
  const forged = { 'x-forwarded-uri': '/robots.txt', 'x-forwarded-method': 'OPTIONS' }
  expect((await ask(gate.url, '/check/nginx', toldByNginx(forged))).status).toBe(401)
  expect(
    (await check({ 'x-original-uri': '/robots.txt', 'x-original-method': 'OPTIONS' })).status,
  ).toBe(401)
})

test('the dialect of Envoy takes the path behind its prefix, any method, and no body', async () => {
  // As Envoy 1.40 sends it with the sample: the method and the Host of the visitor, a length of nothing.
  const { host, 'x-forwarded-proto': proto, 'x-forwarded-for': address } = told()
  const headers = {
    host,
    'x-forwarded-proto': proto,
    'x-forwarded-for': address,
    'content-length': '0',
  }
  const at = async (path: string, change: Headers, method = 'GET') =>
    (await ask(gate.url, `/check/envoy/${path}`, { ...headers, ...change }, { method })).status
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'])
    expect(await at('a?x=1', FETCH, method)).toBe(401)
  expect(await at('a?x=1', NAVIGATION, 'POST')).toBe(403)
  // Envoy lets in with 200 alone.
  expect(await at('robots.txt', {})).toBe(200)
  expect(await at('a', { cookie: CLEARANCE })).toBe(200)
})

test('an open file is no way in for a websocket, also where a proxy leaves out Upgrade', async () => {
  const file = { 'x-forwarded-uri': '/robots.txt' }
  expect((await check(file)).status).toBe(204)
  expect((await check({ ...file, upgrade: 'websocket' })).status).toBe(401)
  expect((await check({ ...file, 'x-forwarded-proto': 'wss' })).status).toBe(401)
  expect((await check({ ...file, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' })).status).toBe(
    401,
  )
})

const NOWHERE =
  '/check /check/ /check/other /check/nginxx /check/envoy / /metrics /.hv/ /.hv/../check/forward'
test.each(NOWHERE.split(' '))('%s lets nobody in', async (path) => {
  expect((await ask(gate.url, path, told({ 'x-forwarded-uri': '/robots.txt' }))).status).toBe(404)
})

test.each<[number, string, Headers]>([
  [401, 'over http', { 'x-forwarded-proto': 'http' }],
  [401, 'at another host', { 'x-forwarded-host': 'a.docs.example.com' }],
  [204, 'for a websocket', { 'x-forwarded-proto': 'wss' }],
  [
    204,
    'where the last address is that of the network',
    { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' },
  ],
  [
    204,
    'where the last address that is none of a proxy is',
    { 'x-forwarded-for': '192.0.2.7, 127.0.0.1' },
  ],
  [401, 'where an earlier address is', { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' }],
])('%d for a clearance %s', async (status, _where, change) => {
  expect((await check({ cookie: CLEARANCE, ...change })).status).toBe(status)
})

test('a host that is not listed gets a 403 that says nothing, and none is echoed', async () => {
  for (const host of [
    'other.invalid',
    'docs.example.com',
    'www.example.com.evil.invalid',
    '<script>',
  ]) {
    const { status, headers, body } = await check({ 'x-forwarded-host': host })
    expect([status, body, JSON.stringify(headers).includes(host)]).toEqual([
      403,
      '{"error":"forbidden"}',
      false,
    ])
  }
  for (const host of [
    'WWW.example.com',
    'www.example.com:8443',
    'www.example.com.',
    'a.b.docs.example.com',
  ])
    expect((await check({ 'x-forwarded-host': host })).status).toBe(401)
})

test('a peer that is no trusted proxy gets 403 for everything, and its connection is closed', async () => {
  const lonely = await start({}, { trusted_proxies: ['192.0.2.1'] })
  const refused = { status: 403, headers: { connection: 'close' } }
  for (const path of [
    '/check/forward',
    '/check/nginx',
    '/check/envoy/robots.txt',
    '/.hv/gate.js',
    '/',
  ])
    expect(await ask(lonely.url, path, told({ 'x-forwarded-uri': '/robots.txt' }))).toMatchObject(
      refused,
    )
})

test('blocked answers are the same for everybody, and hold nothing of the request', async () => {
  const forged = {
    'user-agent': 'Mozilla/5.0 sentinel',
    referer: 'https://sentinel.invalid/',
    cookie: 'a=sentinel',
  }
  const uri = { 'x-forwarded-uri': '/sentinel?sentinel=1' }
  const [one, other] = [await check({ ...NAVIGATION, ...forged, ...uri }), await check(NAVIGATION)]
  expect(one.body).toBe(other.body)
  expect(JSON.stringify([one.headers, one.body])).not.toContain('sentinel')
  const policy = expect.stringContaining("frame-ancestors 'self'")
  const expected = {
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    'content-security-policy': policy,
  }
  expect(one.headers).toMatchObject(expected)
  expect(one.body).toContain('<title>www.example.com</title>')
  expect(one.body).not.toMatch(/<img|<script>|style=|javascript:/)
})

test.each<[why: string, visitor: string, Headers]>([
  ['cookies', 'who brings no clearance', {}],
  [
    'address',
    'whose clearance is of another network',
    { cookie: CLEARANCE, 'x-forwarded-for': '198.51.100.1' },
  ],
  ['failed', 'whose clearance no key opens', { cookie: '__Host-hv=a.b.c' }],
])(
  'the page says %s, where reloading does not help, to a visitor %s',
  async (why, _visitor, headers) => {
    expect((await check({ ...NAVIGATION, ...headers })).body).toContain(`data-why="${why}"`)
    expect(
      (await ask(gate.url, '/.hv/blocked', toldByNginx({ ...NAVIGATION, ...headers }))).body,
    ).toContain(why)
  },
)

test('a page that nginx asks for of a visitor who was let in says that the 401 is of the site itself', async () => {
  const own = await start()
  const cookie = await cookieOf(own)
  const asked = (headers: Headers) =>
    ask(own.url, '/.hv/blocked', toldByNginx({ cookie, ...headers }))
  const page = await asked(NAVIGATION)
  expect([page.status, page.body.includes('data-why="site"')]).toEqual([401, true])
  const { status, headers, body } = await asked(FETCH)
  expect([status, headers['hv-required'], body]).toEqual([
    401,
    undefined,
    '{"error":"refused by the site"}',
  ])
  expect(own.lines().at(-1)).toMatchObject({ message: '401 of the site itself', rule: 'none' })
})

test('the log tells a clearance that is used too often from one that is shared', async () => {
  const few = await start({ rate: '1 per 1m' })
  const cookie = await cookieOf(few)
  await check({ cookie }, few)
  expect((await check({ cookie }, few)).status).toBe(401)
  expect(few.lines().at(-1)).toMatchObject({ message: 'clearance over its rate' })
  const one = await start({ networks: 1, bind: 'none' })
  const shared = await cookieOf(one)
  await check({ cookie: shared }, one)
  await check({ cookie: shared, 'x-forwarded-for': '198.51.100.1' }, one)
  expect(one.lines().at(-1)).toMatchObject({ message: 'clearance shared' })
})

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['xx, pt-BR;q=0.5', 'pt-br'],
  ['en-DE;q=0.1, de', 'en'],
  ['zh-Hant-TW', 'zh-hant'],
  ['no', 'nb'],
  ['ar-EG', 'ar" dir="rtl'],
  ['tok, *', 'en'],
  [undefined, 'en'],
])('the page for %s is in %s', async (accepted, language) => {
  const { body, headers } = await check({ ...NAVIGATION, 'accept-language': accepted })
  expect(body).toContain(`<html lang="${language}"`)
  expect(body).not.toMatch(/undefined|\{\w+\}/)
  expect(headers.vary).toContain('Accept-Language')
})

test('every language of the widget has every sentence of the page, of its own', () => {
  const read = (path: string) => new URL(`../../../${path}`, import.meta.url)
  const file = readFileSync(read('packages/gate/page/texts/sentences.json'), 'utf8')
  const texts = Object.values(JSON.parse(file) as Record<string, Record<string, string>>)
  const widget = readdirSync(read('widget/src/texts')).map((name) => name.replace('.json', ''))
  expect(new Set(texts.map(({ lang }) => lang))).toEqual(new Set([...widget, 'en']))
  const names = Object.keys(texts[0]!)
  for (const own of texts) expect(Object.keys(own)).toEqual(names)
  for (const name of ['form', 'passLabel', 'address', 'site'])
    expect(new Set(texts.map((own) => own[name])).size).toBe(33)
})

/** What `fetch(event.request)` of a service worker makes of a navigation in Firefox. */
const WORKER = {
  'sec-fetch-mode': 'same-origin',
  'sec-fetch-dest': 'empty',
  accept: 'text/html,*/*;q=0.8',
}
test.each<[number, string, Headers]>([
  [403, 'a page', NAVIGATION],
  [403, 'a page of a browser without fetch metadata', { accept: 'text/html,*/*;q=0.8' }],
  [401, 'a script', FETCH],
  [401, 'htmx', { ...FETCH, 'hx-request': 'true', accept: 'text/html, */*' }],
  [401, 'an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  [403, 'a frame', { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }],
  [403, 'a page that a service worker passes on', { ...NAVIGATION, 'sec-fetch-dest': 'empty' }],
  [403, 'the same in Firefox', { ...WORKER, 'upgrade-insecure-requests': '1' }],
  [401, 'a call of a script for HTML', WORKER],
  [401, 'curl', { accept: '*/*' }],
  [
    401,
    'git',
    { accept: 'application/x-git-upload-pack-advertisement', 'git-protocol': 'version=2' },
  ],
  [401, 'a websocket', { accept: 'text/html', upgrade: 'websocket' }],
  [401, 'an agent that says nothing', {}],
])('%d for %s', async (status, _what, headers) => {
  expect((await check(headers)).status).toBe(status)
})

test('a link that htmx boosts gets the word to reload its page, and a form that it sends does not', async () => {
  const boosted = { ...FETCH, 'hx-request': 'true', 'hx-boosted': 'true' }
  expect(await check(boosted)).toMatchObject({ status: 401, headers: { 'hx-refresh': 'true' } })
  for (const headers of [
    FETCH,
    { ...boosted, 'x-forwarded-method': 'POST' },
    { ...boosted, 'hx-boosted': undefined },
  ])
    expect((await check(headers)).headers['hx-refresh']).toBeUndefined()
  expect((await check()).headers.vary).toContain('HX-Boosted')
})

describe('POST /.hv/pass', () => {
  test('one token gives one clearance, whichever of three gates is asked; GET gives none', async () => {
    const gates = [gate, await start(), await start()]
    const response = await newToken()
    const answers = await Promise.all(gates.map((each) => pass(response, {}, each)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 403, 403])
    expect((await pass(response)).status).toBe(403)
    expect((await ask(gate.url, '/.hv/pass', told())).status).toBe(403)
    expect((await pass(await newToken())).headers.date).toBeDefined()
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    [
      'another origin, of an old browser',
      { 'sec-fetch-site': undefined, origin: 'https://evil.invalid' },
    ],
    ['http, of an old browser', { 'sec-fetch-site': undefined, origin: 'http://www.example.com' }],
    ['another port, of an old browser', { 'sec-fetch-site': undefined, origin: `${ORIGIN}:8443` }],
    ['no origin, of an old browser', { 'sec-fetch-site': undefined }],
    ['an origin that is none', { 'sec-fetch-site': undefined, origin: 'null' }],
  ])('a token from %s is not exchanged, nor consumed', async (_from, headers) => {
    const response = await newToken()
    expect((await pass(response, headers)).status).toBe(403)
    expect((await pass(response, { 'sec-fetch-site': undefined, origin: ORIGIN })).status).toBe(204)
  })

  test.each<
    [what: string, response: () => Promise<string> | string, action?: string, change?: Headers]
  >([
    ['nothing', () => ''],
    ['junk', () => 'a.b.c'],
    ['a token of another action', () => newToken('sign-up')],
    ['a silent token, named a pressed one', newToken, 'gate-pressed'],
    ['a token of another host', () => newToken('gate', 'https://a.docs.example.com')],
    ['a body that is too large', () => 'x'.repeat(100_000)],
    ['a body without a length', newToken, 'gate', { 'transfer-encoding': 'chunked' }],
    ['a token for a host that is not listed', newToken, 'gate', { host: 'other.invalid' }],
  ])('%s gives no clearance', async (_what, response, ...[action, change]) => {
    const { status, cookie } = await pass(await response(), change, gate, action)
    expect([status, cookie]).toEqual([403, undefined])
  })
})

test('a page on another port than 443 exchanges its token, also in an old browser', async () => {
  const old = { 'sec-fetch-site': undefined, host: 'www.example.com:8443' }
  expect((await pass(await newToken(), { ...old, origin: ORIGIN })).status).toBe(403)
  expect((await pass(await newToken(), { ...old, origin: `${ORIGIN}:8443` })).status).toBe(204)
})

describe('a token that was solved at 203.0.113.9', () => {
  const solvedAt = async (address: string) => {
    const behind = await testService({
      siteList: [site({ hostnames: hosts })],
      trustedProxies: ['127.0.0.1'],
    })
    const headers = { ...BROWSER, 'x-forwarded-for': address }
    const response = await token({ ...behind.ask, action: 'gate', origin: ORIGIN, headers })
    return { behind, response }
  }

  test.each<[status: number, bind: string, where: string, address: string]>([
    [204, 'network', 'there', '203.0.113.9'],
    [204, 'network', 'by another address of the same provider', '203.0.113.77'],
    [403, 'network', 'elsewhere', '198.51.100.7'],
    [204, 'network', 'by IPv6, which cannot be compared', '2001:db8::7'],
    [204, 'network', 'at no address that the gate knows', 'unknown'],
    [204, 'none', 'elsewhere', '198.51.100.7'],
  ])('is answered with %d where `bind` is %s and it is exchanged %s', async (...row) => {
    const [status, bind, , address] = row
    const { behind, response } = await solvedAt('203.0.113.9')
    const own = await startGate(gateFiles(behind.base, { hosts, bind }))
    const answer = await pass(response, { 'x-forwarded-for': address }, own)
    expect(answer.status).toBe(status)
    if (status === 204) return
    expect(JSON.parse(answer.body)).toEqual({ error: 'refused', why: 'address' })
    const detail = expect.stringContaining('the service saw another network than the gate')
    expect(own.lines().at(-1)).toMatchObject({ message: 'clearance refused', detail })
  })
})

test('headers of 60 kB are read; more are refused, and the log has one line', async () => {
  const own = await start()
  expect((await check({ cookie: `a=${'x'.repeat(60_000)}` }, own)).status).toBe(401)
  expect((await check({ cookie: `a=${'x'.repeat(70_000)}` }, own)).status).toBe(431)
  expect((await check({ cookie: `a=${'x'.repeat(70_000)}` }, own)).status).toBe(431)
  const lines = own.lines().filter(({ level }) => level === 'warn')
  expect(lines).toEqual([
    expect.objectContaining({ message: expect.stringContaining('65536 bytes of headers') }),
  ])
  expect((await check({}, own)).status).toBe(401)
})

test.each<[status: number, what: string, headers: Headers]>([
  [200, 'an address', {}],
  [200, 'localhost', { host: 'localhost:9465' }],
  [200, 'a name of ops_hosts', { host: 'gate.monitoring:9465' }],
  [404, 'another name', { host: 'evil.example' }],
  [404, 'a name that begins as one of ours', { host: 'localhost.evil.example' }],
  [404, 'a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  [200, 'a link that an operator follows', { 'sec-fetch-site': 'cross-site', ...NAVIGATION }],
])('%d for operators who ask by %s', async (status, _what, headers) => {
  const own = await start({}, { ops_hosts: ['gate.monitoring'] })
  for (const path of ['/metrics', '/ready'])
    expect((await ask(own.opsUrl, path, headers)).status).toBe(status)
})

test('a socket replaces one that was left behind, not one in use nor a file, and goes with its gate', async () => {
  const path = join(newFolder(), 'gate.sock')
  const over = () => start({}, { listen: `unix:${path}`, trusted_proxies: ['192.0.2.1'] })
  const die = `net.createServer().listen('${path}', () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', die])
  const first = await over()
  expect((await check({ cookie: await cookieOf(first) }, first)).status).toBe(204)
  await expect(over()).rejects.toThrow('EADDRINUSE')
  await first.stop()
  writeFileSync(path, 'a file', { flag: 'wx' })
  await expect(over()).rejects.toThrow('EADDRINUSE')
  expect(readFileSync(path, 'utf8')).toBe('a file')
})

test('shadow lets everybody in, and says who would have been blocked', async () => {
  const shadow = await start({ shadow: true })
  const { status, headers } = await check(NAVIGATION, shadow)
  expect([status, headers['x-hv-clearance']]).toEqual([204, 'none'])
  const expected = { message: 'would be blocked', hostname: 'www.example.com', detail: 'none' }
  expect(shadow.lines()).toContainEqual(expect.objectContaining(expected))
  expect(await shadow.ops('/metrics')).toContain(
    'hv_gate_checks_total{host="www.example.com",answer="would_block"} 1',
  )
})

test('metrics count checks, passes and the funnel, under names of the configuration alone', async () => {
  const counted = await start()
  await check({ ...NAVIGATION, 'x-forwarded-host': 'a.docs.example.com' }, counted)
  await check({ 'x-forwarded-host': 'stranger.invalid' }, counted)
  // The page of nginx is counted when it is shown.
  await ask(counted.url, '/check/nginx', toldByNginx(NAVIGATION))
  await ask(counted.url, '/.hv/gate.js', told())
  await check({ cookie: await cookieOf(counted) }, counted)
  const metrics = await counted.ops('/metrics')
  for (const line of [
    'hv_gate_checks_total{host="*.docs.example.com",answer="none"} 1',
    'hv_gate_checks_total{host="other",answer="denied"} 1',
    'hv_gate_checks_total{host="www.example.com",answer="valid"} 1',
    'hv_gate_passes_total{host="www.example.com",result="passed",level="1"} 1',
    'hv_gate_funnel_total{host="*.docs.example.com",step="blocked"} 1',
    'hv_gate_funnel_total{host="www.example.com",step="challenged"} 1',
    'hv_gate_funnel_total{host="www.example.com",step="passed"} 1',
    'hv_gate_check_seconds_count 4',
  ])
    expect(metrics).toContain(line)
  expect(metrics).not.toMatch(/stranger|www.example.com",step="blocked/)
})

test('no line of the log holds a token, a cookie, a secret, a path or a whole address', async () => {
  const quiet = await start()
  const response = await newToken()
  const cookie = (await pass(response, {}, quiet)).cookie!
  const secret = { 'x-forwarded-uri': '/secret-path' }
  await check({ cookie, ...secret }, quiet)
  await check({ cookie: `${cookie}x`, ...secret }, quiet)
  await pass('a.b.c', {}, quiet)
  const messages = ['listening', 'clearance given', 'clearance unreadable', 'clearance refused']
  expect(quiet.lines().map((line) => line['message'])).toEqual(messages)
  for (const hidden of [response, cookie, cookie.split('.')[1]!, 'secret', '192.0.2.7'])
    expect(JSON.stringify(quiet.lines())).not.toContain(hidden)
})

describe('a changed configuration', () => {
  /** As editors and Kubernetes do: a reader sees the old file or the new one. */
  const change = (file: string, from: string, to: string): void => {
    const next = join(newFolder(), 'next.yaml')
    writeFileSync(next, readFileSync(file, 'utf8').replace(from, to))
    renameSync(next, file)
  }
  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await sleep(20)
  }

  test('counts within two seconds, a wrong one not at all', async () => {
    const reloaded = await start()
    const cookie = await cookieOf(reloaded)
    const status = async () => (await check({ cookie }, reloaded)).status
    const logged = (message: string) =>
      until(() => reloaded.lines().some((each) => each['message'] === message))
    change(reloaded.file, '"gates": [', '"gates": [ { "hosts": ["x"], "nonsense": 1 },')
    await logged('configuration not reloaded; the old one stays in force')
    expect(await status()).toBe(204)
    change(reloaded.file, '{ "hosts": ["x"], "nonsense": 1 },', '')
    await logged('configuration reloaded')
    expect(await status()).toBe(204)
    change(
      reloaded.file,
      '"sitekey"',
      '"rules": [{ "name": "shut", "when": {}, "effect": "deny" }], "sitekey"',
    )
    await until(async () => (await status()) === 403)
  })

  test('of listen counts at the next start, of trusted_proxies for open connections, too', async () => {
    const reloaded = await start({}, { trusted_proxies: ['127.0.0.1'] })
    const kept = async () => (await fetch(`${reloaded.url}/check/nginx`)).text()
    expect(await kept()).toContain('the proxy sends no')
    change(reloaded.file, '"127.0.0.1:0"', '"unix:/gate.sock"')
    change(reloaded.file, '"127.0.0.1"', '"192.0.2.1"')
    await until(async () => (await kept()).includes('forbidden'))
    const message = 'configuration reloaded, but not all of it'
    const line = { level: 'warn', message, detail: 'listen: needs a restart' }
    expect(reloaded.lines()).toContainEqual(expect.objectContaining(line))
  })

  test('counts for clearances in use', async () => {
    const reloaded = await start({ bind: 'none' })
    const away = { cookie: await cookieOf(reloaded), 'x-forwarded-for': '198.51.100.1' }
    expect((await check(away, reloaded)).status).toBe(204)
    change(reloaded.file, '"none"', '"network"')
    await until(async () => (await check(away, reloaded)).status === 401)
  })

  test('counts as well when it changed right after it was read', async () => {
    const file = gateFiles(service.base, { hosts: ['www.example.com'] })
    // What the system is asked for in threads waits for these.
    for (let i = 0; i < 8; i++) pbkdf2('', '', 300_000, 64, 'sha512', () => {})
    const starting = startGate(file)
    change(file, 'www.example.com', 'shop.example.com')
    const reloaded = await starting
    await until(async () => (await check({}, reloaded)).status === 403)
    expect(reloaded.lines().at(-1)).toMatchObject({ message: 'clearance denied' })
  })
})

/** Keeps this process, and with it the gate, from reading, as a machine with too much work does. */
function holdUp(milliseconds: number): void {
  const end = performance.now() + milliseconds
  let now = performance.now()
  while (now < end) now = performance.now()
}

test.each([
  ['is answered, and then closed', 0],
  ['is answered as well where the process is late to read', 400],
])('at the end a connection that a proxy keeps %s', async (_, late) => {
  const ending = await start()
  const socket = connect(Number(new URL(ending.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const headers = Object.entries(told()).map(([name, value]) => `${name}: ${value}`)
  const request = `GET /check/forward HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
  socket.write(request)
  // An answer shows that the gate has accepted the connection.
  await once(socket, 'data')
  const stopped = ending.stop()
  holdUp(late)
  socket.write(request)
  const answer = await text(socket)
  expect([answer.slice(0, 12), /connection: close/i.test(answer)]).toEqual(['HTTP/1.1 401', true])
  await stopped
})
