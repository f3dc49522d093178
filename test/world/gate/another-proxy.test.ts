/** A proxy in front of the one that asks the gate, as a CDN is: without and with the rows that the samples have for it. */
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import {
  ask,
  CDN,
  exchange,
  gateFiles,
  NAVIGATION,
  PROXIES,
  startCdn,
  startGate,
  startSite,
  startTraefikForTwo,
  withCdnRows,
} from '../../support/gate.ts'
import { token } from '../../support/visitor.ts'

const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })

/** Gets a clearance, and asks for four pages with it. @returns their statuses, and what the log says. */
async function visit(url: string, { lines }: Awaited<ReturnType<typeof startGate>>) {
  const response = await token({ ...service.ask, action: 'gate', origin: url })
  const { cookie } = await exchange(url, response)
  const statuses: number[] = []
  for (const path of ['/1', '/2', '/3', '/4'])
    statuses.push((await ask(url, path, { ...NAVIGATION, cookie })).status)
  return { cookie, statuses, lines: lines() }
}

describe.each(Object.entries(PROXIES))('%s behind another proxy', (name, startProxy) => {
  const named = withCdnRows(name)
  const settings = { trusted_proxies: ['127.0.0.1', CDN] }

  test('has the address of that proxy for the visitor’s, and the log says so', async () => {
    const [gate, app] = [await startGate(gateFiles(service.base)), await startSite()]
    const cdn = await startCdn((await startProxy(gate.host, app.host)).url)
    const { statuses, lines } = await visit(cdn.url, gate)
    expect(statuses).toEqual([403, 403, 403, 403])
    const detail = expect.stringContaining('is another proxy in front?')
    expect(lines).toContainEqual(expect.objectContaining({ message: 'clearance refused', detail }))
  })

  test('has the visitor’s address by the rows of its sample, from that proxy alone', async () => {
    const [gate, app] = [await startGate(gateFiles(service.base, {}, settings)), await startSite()]
    const proxy = await startProxy(gate.host, app.host, named)
    const cdn = await startCdn(proxy.url)
    const { cookie, statuses, lines } = await visit(cdn.url, gate)
    expect(statuses).toEqual([200, 200, 200, 200])
    const given = { message: 'clearance given', network: '203.0.113.0/24' }
    expect(lines).toContainEqual(expect.objectContaining(given))
    const other = await startCdn(proxy.url, '198.51.100.9')
    const asked = (url: string, more: object) => ask(url, '/', { ...NAVIGATION, cookie, ...more })
    // Elsewhere, and with an address that the visitor wrote himself, through that proxy or past it.
    expect((await asked(other.url, {})).status).toBe(403)
    expect((await asked(other.url, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(403)
    expect((await asked(proxy.url, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(403)
    // The name stays that of the request; with Traefik it is what the proxy in front says, and a name that is not listed is refused.
    const forged = await ask(cdn.url, '/', { ...NAVIGATION, 'x-forwarded-host': 'other.invalid' })
    expect(forged.body).toContain(name === 'Traefik' ? 'forbidden' : '/.hv/gate.js')
  })
})

describe('Traefik that asks itself, for a second gate', () => {
  async function stage() {
    const file = gateFiles(service.base)
    const gates = [await startGate(file), await startGate(file)]
    const app = await startSite()
    const { url } = await startTraefikForTwo(
      gates.map(({ host }) => host),
      app.host,
    )
    return { gates, url }
  }

  test('names the visitor’s address, not its own', async () => {
    const { gates, url } = await stage()
    // Each request comes from another network.
    const cdn = await startCdn(url)
    const { statuses } = await visit(cdn.url, gates[0]!)
    expect(statuses).toEqual([403, 403, 403, 403])
  })

  test('goes on while one of them is away', async () => {
    const { gates, url } = await stage()
    const { cookie, statuses } = await visit(url, gates[0]!)
    expect(statuses).toEqual([200, 200, 200, 200])
    await gates[0]!.stop()
    const asked = Array.from({ length: 20 }, () => ask(url, '/', { ...NAVIGATION, cookie }))
    const later = (await Promise.all(asked)).map(({ status }) => status)
    expect(later).toEqual(asked.map(() => 200))
  })
})
