/** The gate behind real proxies, by the samples of deploy/gate. */
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { ask, FETCH, gateFiles, NAVIGATION, PROXIES, SITE_PAGE, startGate, startSite } from '../../support/gate.ts'
import { token } from '../../support/visitor.ts'

const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0.45 })] })
const file = gateFiles(service.base, {
  rules: [
    { name: 'feeds', when: { path: ['/feed/*'], header: { 'user-agent': '!Mozilla/*' } }, effect: 'allow' },
    { name: 'echo', when: { path: ['/echo'] }, effect: 'allow' },
    { name: 'costly', when: { path: ['/search*'] }, effect: 'level 2' },
    { name: 'shut', when: { path: ['/shut'] }, effect: 'deny' },
  ],
})
describe.each(Object.entries(PROXIES))('behind %s', (_name, startProxy) => {
  const stage = async () => {
    const [gate, app] = [await startGate(file), await startSite()]
    const { url } = await startProxy(gate.host, app.host)
    /** A cookie of a visitor who passed. */
    const pass = async (action = 'gate') => {
      const body = new URLSearchParams({ 'svc-response': await token({ ...service.ask, origin: url, action }), action })
      const res = await fetch(`${url}/.hv/pass`, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
      return { status: res.status, cookie: res.headers.get('set-cookie')?.split(';')[0] ?? '' }
    }
    return { gate, app, url, pass }
  }

  test('a page is shown in place, a fetch gets JSON, and who passed is let in at the same address', async () => {
    const { app, url, pass } = await stage()
    const page = await ask(url, '/a?x=1&y=2&z=%2F', NAVIGATION)
    expect([page.status, page.headers.location, page.headers['set-cookie']]).toEqual([403, undefined, undefined])
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(page.headers.vary).toContain('Cookie')
    expect(page.body).toContain('/.hv/gate.js')

    const call = await ask(url, '/api', FETCH)
    expect([call.status, call.headers['hv-required']]).toEqual([
      401,
      expect.stringMatching(/^sitekey="hv_site_testshop", /),
    ])
    expect(JSON.parse(call.body)).toMatchObject({ error: 'verification required', action: 'gate', pass: '/.hv/pass' })
    expect(app.seen).toEqual([])

    const { status, cookie } = await pass()
    expect([status, cookie.slice(0, 3)]).toEqual([204, 'hv='])
    expect(cookie.length).toBeLessThanOrEqual(350)
    const shown = await ask(url, '/a?x=1&y=2&z=%2F', { ...NAVIGATION, cookie })
    expect([shown.status, shown.body]).toEqual([200, SITE_PAGE])
    expect(app.seen.map((one) => one.url)).toEqual(['/a?x=1&y=2&z=%2F'])
    expect(app.seen[0]!.headers['x-hv-clearance']).toMatch(/^[\w-]{22}$/)
  })

  test('a costly path needs a press, and a denied one lets nobody in', async () => {
    const { url, pass } = await stage()
    const [silent, pressed] = [await pass(), await pass('gate-pressed')]
    const at = (path: string, { cookie }: { cookie: string }) => ask(url, path, { ...NAVIGATION, cookie })
    const low = await at('/search?q=1', silent)
    expect([low.status, low.body]).toEqual([403, expect.stringContaining('data-level="2"')])
    expect((await at('/search?q=1', pressed)).status).toBe(200)
    expect((await at('/%73earch', silent)).status).toBe(403)
    const denied = await at('/shut', pressed)
    expect([denied.status, denied.body.includes('gate.js')]).toEqual([403, false])
  })

  test('forms of every kind are met by the page, and kept out', async () => {
    const { app, url } = await stage()
    for (const body of ['a=b', 'x'.repeat(70_000)]) {
      const form = await ask(url, '/post', NAVIGATION, 'POST', body)
      expect([form.status, form.body]).toEqual([403, expect.stringContaining('Your form is kept')])
    }
    for (const method of ['PUT', 'DELETE', 'HEAD', 'OPTIONS'])
      expect([method, (await ask(url, '/', { accept: 'text/html' }, method)).status]).toEqual([method, 401])
    expect(app.seen).toEqual([])
  })

  test('feeds, robots.txt and certificates are open, in their plain spelling alone', async () => {
    const { app, url } = await stage()
    for (const path of ['/robots.txt', '/favicon.ico', '/.well-known/acme-challenge/x', '/feed/a.xml'])
      expect([path, (await ask(url, path, { accept: '*/*' })).status]).toEqual([path, 200])
    expect((await ask(url, '/feed/a.xml', NAVIGATION)).status).toBe(403)
    const open = app.seen.length
    const spellings =
      '/%72obots.txt //robots.txt /robots.txt/..%2fadmin /.well-known/../admin /.well-known/..%2fa /robots.txt;x /feed/../a /feed/%2e%2e/a /FEED/a.xml'
    for (const path of spellings.split(' ')) {
      const { status } = await ask(url, path, { accept: '*/*' })
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
    expect(app.seen.length).toBe(open)
  })

  test('headers that a visitor forges change nothing', async () => {
    const { app, url } = await stage()
    const forged = ['x-original-uri', 'x-forwarded-uri', 'x_original_uri', 'x_forwarded_uri', 'X-Rewrite-URL'].map(
      (name) => ({ [name]: '/robots.txt' }),
    )
    const more = [
      { 'x-forwarded-host': 'other.invalid' },
      { 'x-forwarded-for': '192.0.2.1' },
      { 'x-forwarded-method': 'OPTIONS' },
      { 'x-original-method': 'OPTIONS' },
    ]
    for (const headers of [...forged, ...more, { cookie: '__Host-hv=a.b.c; hv=a.b.c' }]) {
      const { status } = await ask(url, '/secret', { ...FETCH, ...headers })
      expect([headers, status === 401 || status === 400]).toEqual([headers, true])
    }
    expect(app.seen).toEqual([])
    await ask(url, '/echo', { 'x-hv-clearance': 'forged' })
    expect(app.seen[0]!.headers['x-hv-clearance']).toBe('none')
  })

  test('a websocket needs a clearance, too', async () => {
    const { app, url, pass } = await stage()
    const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    }
    expect((await ask(url, '/ws', upgrade)).status).toBe(401)
    const { cookie } = await pass()
    expect((await ask(url, '/ws', { ...upgrade, cookie })).status).toBe(101)
    expect(app.seen.map((one) => one.method)).toEqual(['UPGRADE'])
  })

  test('a preflight reaches the site, since it never carries a cookie', async () => {
    const { app, url } = await stage()
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'PUT' }
    expect((await ask(url, '/api', headers, 'OPTIONS')).status).toBe(200)
    expect((await ask(url, '/api', {}, 'OPTIONS')).status).toBe(401)
    expect(app.seen.map((one) => one.method)).toEqual(['OPTIONS'])
  })

  test('a gate that has stopped lets nobody in', async () => {
    const { gate, app, url, pass } = await stage()
    const { cookie } = await pass()
    await gate.stop()
    const { status } = await ask(url, '/', { ...NAVIGATION, cookie })
    expect([500, 502, 503]).toContain(status)
    expect(app.seen).toEqual([])
  })
})
