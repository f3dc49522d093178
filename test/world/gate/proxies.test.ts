/** The gate behind real proxies, by the samples of deploy/gate. What a stranger may forge: doctor.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { ask, FETCH, gateFiles, NAVIGATION, PROXIES, SITE_PAGE, startGate, startSite } from '../../support/gate.ts'
import { token } from '../../support/visitor.ts'

const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0.45 })] })
const file = gateFiles(service.base)
describe.each(Object.entries(PROXIES))('behind %s', (_name, startProxy) => {
  const stage = async () => {
    const [gate, app] = [await startGate(file), await startSite()]
    const { url } = await startProxy(gate.host, app.host)
    const pass = async () => {
      const response = await token({ ...service.ask, origin: url, action: 'gate' })
      const body = new URLSearchParams({ 'svc-response': response, action: 'gate' })
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
