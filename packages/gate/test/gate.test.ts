/** The gate as proxies meet it, beside the real service in this process. */
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../../test/support/app.ts'
import { newFolder } from '../../../test/support/close-later.ts'
import { ask, FETCH, gateFiles, NAVIGATION, startGate } from '../../../test/support/gate.ts'
import { token } from '../../../test/support/visitor.ts'

const service = await testService({ siteList: [site({ hostnames: ['www.example.com', '*.docs.example.com'] })] })
const HOSTS = { hosts: ['www.example.com', '*.docs.example.com'] }
const gate = await startGate(gateFiles(service.base, HOSTS))
const ORIGIN = 'https://www.example.com'

/** What a proxy tells of a request, in the dialect of Caddy and Traefik. */
const told = (change: Record<string, string> = {}) => ({
  'x-forwarded-method': 'GET',
  'x-forwarded-uri': '/',
  'x-forwarded-host': 'www.example.com',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
  ...change,
})
const toldByNginx = (change: Record<string, string> = {}) => {
  const { 'x-forwarded-uri': uri, 'x-forwarded-method': method, ...rest } = told(change)
  return { 'x-original-uri': uri, 'x-original-method': method, ...rest }
}
const check = (headers: Record<string, string>, at = gate) => ask(at.url, '/check/forward', headers)
const pass = (response: string, change: Record<string, string> = {}, at = gate, action = 'gate') => {
  const { 'x-forwarded-proto': proto, 'x-forwarded-for': address } = told(change)
  const headers = {
    host: 'www.example.com',
    'x-forwarded-proto': proto,
    'x-forwarded-for': address,
    'sec-fetch-site': 'same-origin',
  }
  const body = new URLSearchParams({ 'svc-response': response, action }).toString()
  return ask(at.url, '/.hv/pass', { ...headers, ...change }, 'POST', body)
}
const newToken = (action = 'gate', origin = ORIGIN) => token({ ...service.ask, action, origin })
const cookieOf = async (at = gate) => (await pass(await newToken(), {}, at)).headers['set-cookie']![0]!.split(';')[0]!

describe('the dialect of nginx', () => {
  test('answers a bare 401, and lets a clearance in with its id', async () => {
    const { status, headers, body } = await ask(gate.url, '/check/nginx', toldByNginx())
    expect([status, body, headers['content-type'], headers['set-cookie']]).toEqual([401, '', undefined, undefined])
    const open = await ask(gate.url, '/check/nginx', toldByNginx({ cookie: await cookieOf() }))
    expect([open.status, open.headers['x-hv-clearance']]).toEqual([204, expect.stringMatching(/^[\w-]{22}$/)])
  })

  test.each(['x-original-uri', 'x-original-method', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for'])(
    'names the header %s when it is missing, and lets nobody in',
    async (name) => {
      const { [name]: _missing, ...rest } = toldByNginx() as Record<string, string>
      const { status, body } = await ask(gate.url, '/check/nginx', rest)
      expect([status, body]).toEqual([500, `{"error":"the proxy sends no ${name}"}`])
    },
  )

  test('reads its own headers, whatever a visitor sends of the others', async () => {
    const forged = { 'x-forwarded-uri': '/robots.txt', 'x-forwarded-method': 'OPTIONS' }
    expect((await ask(gate.url, '/check/nginx', { ...toldByNginx(), ...forged })).status).toBe(401)
    const other = { 'x-original-uri': '/robots.txt', 'x-original-method': 'OPTIONS' }
    expect((await check({ ...told(), ...other })).status).toBe(401)
  })
})

test('the dialect of Envoy takes the path behind its prefix, any method, and no body', async () => {
  // As Envoy 1.30 sends it with the sample: the method and the Host of the visitor, a length of nothing.
  const headers = {
    host: 'www.example.com',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '192.0.2.7',
    'content-length': '0',
  }
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'])
    expect((await ask(gate.url, '/check/envoy/a?x=1', { ...headers, ...FETCH }, method)).status).toBe(401)
  expect((await ask(gate.url, '/check/envoy/a?x=1', { ...headers, ...NAVIGATION }, 'POST')).status).toBe(403)
  expect((await ask(gate.url, '/check/envoy/robots.txt', headers)).status).toBe(204)
  expect((await ask(gate.url, '/check/envoy/a', { ...headers, cookie: await cookieOf() })).status).toBe(204)
})

test.each([
  '/check',
  '/check/',
  '/check/other',
  '/check/nginxx',
  '/check/envoy',
  '/',
  '/metrics',
  '/.hv/',
  '/.hv/../check/forward',
])('%s lets nobody in', async (path) => {
  const headers = { ...told({ 'x-forwarded-uri': '/robots.txt' }), host: 'www.example.com' }
  expect((await ask(gate.url, path, headers)).status).toBe(404)
})

test('who passed is let in, elsewhere and over http not', async () => {
  const cookie = await cookieOf()
  const at = async (change: object) => (await check({ ...told({ cookie }), ...FETCH, ...change })).status
  expect(await at({})).toBe(204)
  expect(await at({ 'x-forwarded-for': '198.51.100.1' })).toBe(401)
  expect(await at({ 'x-forwarded-for': '2001:db8::1' })).toBe(204)
  expect(await at({ 'x-forwarded-proto': 'http' })).toBe(401)
  expect(await at({ 'x-forwarded-host': 'a.docs.example.com' })).toBe(401)
  expect(await at({ 'x-forwarded-proto': 'wss' })).toBe(204)
})

test('the address is the last one that is none of the proxies', async () => {
  const cookie = await cookieOf()
  const from = async (addresses: string) =>
    (await check({ ...told({ cookie, 'x-forwarded-for': addresses }), ...FETCH })).status
  expect(await from('198.51.100.1, 192.0.2.7')).toBe(204)
  expect(await from('192.0.2.7, 127.0.0.1')).toBe(204)
  expect(await from('192.0.2.7, 198.51.100.1')).toBe(401)
})

test('a host that is not listed gets a 403 that says nothing, and none is echoed', async () => {
  for (const host of ['other.invalid', 'docs.example.com', 'www.example.com.evil.invalid', '<script>']) {
    const { status, headers, body } = await check(told({ 'x-forwarded-host': host }))
    expect([status, body, JSON.stringify(headers).includes(host)]).toEqual([403, '{"error":"forbidden"}', false])
  }
  for (const host of ['WWW.example.com', 'www.example.com:8443', 'www.example.com.', 'a.b.docs.example.com'])
    expect((await check(told({ 'x-forwarded-host': host }))).status).toBe(401)
})

test('a peer that is no trusted proxy gets 403 for everything', async () => {
  const lonely = await startGate(gateFiles(service.base, HOSTS, { trusted_proxies: ['192.0.2.1'] }))
  for (const path of ['/check/forward', '/check/nginx', '/check/envoy/robots.txt', '/.hv/gate.js', '/'])
    expect(
      (await ask(lonely.url, path, { ...told({ 'x-forwarded-uri': '/robots.txt' }), host: 'www.example.com' })).status,
    ).toBe(403)
})

test('blocked answers are the same for everybody, and hold nothing of the request', async () => {
  const forged = { 'user-agent': 'Mozilla/5.0 sentinel', referer: 'https://sentinel.invalid/', cookie: 'a=sentinel' }
  const [one, other] = [
    await check({ ...told({ 'x-forwarded-uri': '/sentinel?sentinel=1' }), ...NAVIGATION, ...forged }),
    await check({ ...told(), ...NAVIGATION }),
  ]
  expect(one.body).toBe(other.body)
  expect(JSON.stringify([one.headers, one.body])).not.toContain('sentinel')
  expect(one.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  })
  expect(one.body).toContain('<title>www.example.com</title>')
  expect(one.body).not.toMatch(/<img|<script>|style=|javascript:/)
})

test.each<[number, string, Record<string, string>]>([
  [403, 'a page', NAVIGATION],
  [403, 'a page of a browser without fetch metadata', { accept: 'text/html,*/*;q=0.8' }],
  [401, 'a script', FETCH],
  [401, 'htmx', { ...FETCH, 'hx-request': 'true', accept: 'text/html, */*' }],
  [401, 'an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
  [401, 'a frame', { ...NAVIGATION, 'sec-fetch-dest': 'iframe' }],
  [401, 'curl', { accept: '*/*' }],
  [401, 'git', { accept: 'application/x-git-upload-pack-advertisement', 'git-protocol': 'version=2' }],
  [401, 'a websocket', { accept: 'text/html', upgrade: 'websocket' }],
  [401, 'an agent that says nothing', {}],
])('%d for %s', async (status, _what, headers) => {
  expect((await check({ ...told(), ...headers })).status).toBe(status)
})

describe('POST /.hv/pass', () => {
  test('one token gives one clearance, whichever of three gates is asked', async () => {
    const gates = [
      gate,
      await startGate(gateFiles(service.base, HOSTS)),
      await startGate(gateFiles(service.base, HOSTS)),
    ]
    const response = await newToken()
    const answers = await Promise.all(gates.map((each) => pass(response, {}, each)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([204, 403, 403])
    expect((await pass(response)).status).toBe(403)
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin, of an old browser', { 'sec-fetch-site': '', origin: 'https://evil.invalid' }],
    ['http, of an old browser', { 'sec-fetch-site': '', origin: 'http://www.example.com' }],
  ])('a token from %s is not exchanged, nor consumed', async (_from, headers) => {
    const response = await newToken()
    const { 'sec-fetch-site': fetchSite, ...rest } = headers as Record<string, string>
    const asked = fetchSite === '' ? rest : headers
    const body = new URLSearchParams({ 'svc-response': response, action: 'gate' }).toString()
    const own = { host: 'www.example.com', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' }
    expect((await ask(gate.url, '/.hv/pass', { ...own, ...asked }, 'POST', body)).status).toBe(403)
    expect((await ask(gate.url, '/.hv/pass', { ...own, origin: ORIGIN }, 'POST', body)).status).toBe(204)
  })

  test.each<[string, () => Promise<string> | string, string]>([
    ['nothing', () => '', 'gate'],
    ['junk', () => 'a.b.c', 'gate'],
    ['a token of another action', () => newToken('sign-up'), 'gate'],
    ['a silent token, named a pressed one', () => newToken('gate'), 'gate-pressed'],
    ['a token of another host', () => newToken('gate', 'https://a.docs.example.com'), 'gate'],
  ])('%s gives no clearance', async (_what, response, action) => {
    const { status, headers } = await pass(await response(), {}, gate, action)
    expect([status, headers['set-cookie']]).toEqual([403, undefined])
  })

  test('GET, a body that is too large, and a host that is not listed give none', async () => {
    expect((await ask(gate.url, '/.hv/pass', { ...told(), host: 'www.example.com' })).status).toBe(403)
    expect((await pass('x'.repeat(100_000))).status).toBe(403)
    expect((await pass(await newToken(), { 'transfer-encoding': 'chunked' })).status).toBe(403)
    expect((await pass(await newToken(), { host: 'other.invalid' })).status).toBe(403)
  })

  test('a service that is away is 503, and clearances still count', async () => {
    const lonely = await startGate(gateFiles('http://127.0.0.1:9', HOSTS))
    expect((await pass('a.b.c', {}, lonely)).status).toBe(503)
    const { status } = await check({ ...told(), ...FETCH }, lonely)
    expect(status).toBe(401)
  })
})

test('shadow lets everybody in, and says who would have been blocked', async () => {
  const shadow = await startGate(gateFiles(service.base, { ...HOSTS, shadow: true }))
  const { status, headers } = await check({ ...told(), ...NAVIGATION }, shadow)
  expect([status, headers['x-hv-clearance']]).toEqual([204, 'none'])
  expect(shadow.lines()).toContainEqual(
    expect.objectContaining({ message: 'would be blocked', hostname: 'www.example.com', detail: 'none' }),
  )
  expect(await shadow.ops('/metrics')).toContain('hv_gate_checks_total{host="www.example.com",answer="would_block"} 1')
})

test('metrics count checks, passes and the funnel, under names of the configuration alone', async () => {
  const counted = await startGate(gateFiles(service.base, HOSTS))
  await check({ ...told({ 'x-forwarded-host': 'a.docs.example.com' }), ...NAVIGATION }, counted)
  await check(told({ 'x-forwarded-host': 'stranger.invalid' }), counted)
  // The page of nginx is counted when it is shown.
  await ask(counted.url, '/check/nginx', { ...toldByNginx(), ...NAVIGATION })
  await ask(counted.url, '/.hv/gate.js', { ...told(), host: 'www.example.com' })
  const cookie = await cookieOf(counted)
  await check(told({ cookie }), counted)
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
  const quiet = await startGate(gateFiles(service.base, HOSTS))
  const response = await newToken()
  const given = await pass(response, {}, quiet)
  const cookie = given.headers['set-cookie']![0]!.split(';')[0]!
  await check({ ...told({ cookie, 'x-forwarded-uri': '/secret-path' }), ...FETCH }, quiet)
  await check({ ...told({ cookie: `${cookie}x`, 'x-forwarded-uri': '/secret-path' }), ...FETCH }, quiet)
  await pass('a.b.c', {}, quiet)
  const lines = quiet.lines()
  expect(lines.map((line) => line['message'])).toEqual([
    'listening',
    'clearance given',
    'clearance unreadable',
    'clearance refused',
  ])
  for (const hidden of [response, cookie, cookie.split('.')[1]!, 'secret', '192.0.2.7'])
    expect(JSON.stringify(lines)).not.toContain(hidden)
})

test('a changed configuration counts within two seconds, a wrong one not at all', async () => {
  const reloaded = await startGate(gateFiles(service.base, HOSTS))
  const change = (from: string, to: string): void => {
    const next = join2(newFolder())
    writeFileSync(next, readFileSync(reloaded.file, 'utf8').replace(from, to))
    renameSync(next, reloaded.file)
  }
  const line = async (message: string): Promise<void> => {
    while (!reloaded.lines().some((each) => each['message'] === message))
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const cookie = await cookieOf(reloaded)
  change('"gates": [', '"gates": [ { "hosts": ["x"], "nonsense": 1 },')
  await line('configuration not reloaded; the old one stays in force')
  expect((await check({ ...told({ cookie }), ...FETCH }, reloaded)).status).toBe(204)
  change('{ "hosts": ["x"], "nonsense": 1 },', '')
  await line('configuration reloaded')
  expect((await check({ ...told({ cookie }), ...FETCH }, reloaded)).status).toBe(204)
  change('"sitekey"', '"rules": [{ "name": "shut", "when": {}, "effect": "deny" }], "sitekey"')
  while ((await check({ ...told({ cookie }), ...FETCH }, reloaded)).status !== 403)
    await new Promise((resolve) => setTimeout(resolve, 20))
})

test('a reload counts for clearances in use', async () => {
  const reloaded = await startGate(gateFiles(service.base, { ...HOSTS, bind: 'none' }))
  const change = (from: string, to: string): void =>
    writeFileSync(reloaded.file, readFileSync(reloaded.file, 'utf8').replace(from, to))
  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const cookie = await cookieOf(reloaded)
  const away = { ...told({ cookie, 'x-forwarded-for': '198.51.100.1' }), ...FETCH }
  expect((await check(away, reloaded)).status).toBe(204)
  change('"none"', '"network"')
  await until(async () => (await check(away, reloaded)).status === 401)
})
const join2 = (folder: string): string => `${folder}/next.yaml`

test('at the end a connection that a proxy keeps is answered, and then closed', async () => {
  const ending = await startGate(gateFiles(service.base, HOSTS))
  const socket = connect(Number(new URL(ending.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const headers = Object.entries(told()).map(([name, value]) => `${name}: ${value}`)
  const stopped = ending.stop()
  socket.write(`GET /check/forward HTTP/1.1\r\nhost: gate\r\n${headers.join('\r\n')}\r\n\r\n`)
  const answer = await text(socket)
  expect([answer.slice(0, 12), /connection: close/i.test(answer)]).toEqual(['HTTP/1.1 401', true])
  await stopped
})
