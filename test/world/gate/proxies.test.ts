/** The gate behind real proxies, by the samples of deploy/gate. What a stranger may forge: doctor.test.ts. */
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { newFolder } from '../../support/close-later.ts'
import {
  ask,
  gateFiles,
  NAVIGATION,
  PROXIES,
  SITE_PAGE,
  startGate,
  startSite,
  visitAll,
} from '../../support/gate.ts'

const service = await testService({
  siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0.45 })],
})
const PLACES = [...Object.entries(PROXIES), ['nginx over a socket', PROXIES.nginx] as const]
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
const PREFLIGHT = { origin: 'https://app.example.com', 'access-control-request-method': 'PUT' }
const API = { name: 'preflight', when: { path: ['/api/*'], method: ['OPTIONS'] }, effect: 'allow' }

describe.each(PLACES)('behind %s', (name, startProxy) => {
  const listen = name.endsWith('socket') ? `unix:${join(newFolder(), 'gate.sock')}` : '127.0.0.1:0'
  const file = gateFiles(service.base, { rules: [API] }, { listen })

  test('a page is shown in place, a fetch gets JSON, and who passed is let in, until the gate has stopped', async () => {
    const [gate, app] = [await startGate(file), await startSite()]
    const { url } = await startProxy(gate.host, app.host)
    const { cookie, shown } = await visitAll(url, service)
    expect([shown.status, shown.body]).toEqual([200, SITE_PAGE])
    expect(app.seen.map((one) => one.url)).toEqual(['/robots.txt', '/a?x=1&y=2&z=%2F'])
    expect(app.seen[1]!.headers['x-hv-clearance']).toMatch(/^[\w-]{22}$/)
    await gate.stop()
    expect([500, 502, 503]).toContain((await ask(url, '/', { ...NAVIGATION, cookie })).status)
    expect(app.seen).toHaveLength(2)
  })

  test('a websocket needs a clearance, at an open path too; a preflight is let in only by a rule of the owner', async () => {
    const [gate, app] = [await startGate(file), await startSite()]
    const { url } = await startProxy(gate.host, app.host)
    const { cookie } = await visitAll(url, service)
    const upgrade = { ...UPGRADE, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    expect((await ask(url, '/ws', upgrade)).status).toBe(401)
    expect((await ask(url, '/robots.txt', upgrade)).status).toBe(401)
    expect((await ask(url, '/ws', { ...upgrade, cookie })).status).toBe(101)
    expect((await ask(url, '/?p=1', PREFLIGHT, { method: 'OPTIONS' })).status).toBe(401)
    expect((await ask(url, '/api/?p=1', PREFLIGHT, { method: 'OPTIONS' })).status).toBe(401)
    expect((await ask(url, '/api/x', PREFLIGHT, { method: 'OPTIONS' })).status).toBe(200)
    expect(app.seen.slice(2).map((one) => one.method)).toEqual(['UPGRADE', 'OPTIONS'])
  })
})
