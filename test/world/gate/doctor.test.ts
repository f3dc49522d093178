/** hv-gate doctor against proxies that are set up by the samples, and against mistakes that people make. */
import { expect, test } from '@jest/globals'
import { doctor } from '../../../packages/gate/src/doctor.ts'
import { gateFiles, PROXIES, startGate, startSite, startTraefikForTwo } from '../../support/gate.ts'

const rules = [{ name: 'echo', when: { path: ['/echo'] }, effect: 'allow' }]
const file = gateFiles('http://127.0.0.1:9', { rules })

async function fixes(
  startProxy: (gate: string, site: string) => Promise<{ url: string }>,
  settings = file,
): Promise<string[]> {
  const [gate, app] = [await startGate(settings), await startSite()]
  const { url } = await startProxy(gate.host, app.host)
  const findings = await doctor(`${url}/a?x=1`, '/echo')
  expect(findings.length).toBeGreaterThan(25)
  // Without TLS here.
  return findings
    .filter(({ check, advice }) => advice !== undefined && check !== 'scheme')
    .map(({ check }) => check)
}

/** Traefik tidies a path before it asks, and gives the site the same one. */
const TIDIED = ['/%72obots.txt', '//robots.txt']

test.each(Object.entries(PROXIES))(
  '%s by the sample has nothing to fix',
  async (name, startProxy) => {
    expect(await fixes(startProxy)).toEqual(name === 'Traefik' ? TIDIED : [])
  },
)

test('Traefik that asks itself, for a second gate, has no more to fix', async () => {
  const twice = (gate: string, site: string) => startTraefikForTwo([gate, gate], site)
  expect(await fixes(twice)).toEqual(TIDIED)
})

const nginx = (from: RegExp | string, to: string) => (gate: string, site: string) =>
  PROXIES.nginx(gate, site, (sample) => sample.replace(from, to))

/** As somebody who lets a proxy in front name the path. */
const trusting = (gate: string, site: string) =>
  PROXIES.nginx(gate, site, (sample) => {
    const map =
      'map $http_x_original_uri $path { default $http_x_original_uri; "" $request_uri; }\n'
    return map + sample.replaceAll('X-Original-URI $request_uri', 'X-Original-URI $path')
  })

test('a policy of the whole site leaves the page alone', async () => {
  const policy = 'add_header Content-Security-Policy "default-src \'self\'" always;'
  const named = nginx('server_name www.example.com;', `server_name www.example.com;\n${policy}`)
  expect(await fixes(named)).toEqual([])
})

const page = (lines: string) => nginx('location /.hv/ {', `location /.hv/ {\n${lines}`)
/** As someone who opens robots.txt whatever its query is. */
const anyQuery = { name: 'any', when: { path: ['/robots.txt'], query: ['*'] }, effect: 'allow' }
test('an open path that takes a query is found', async () => {
  const open = gateFiles('http://127.0.0.1:9', { rules: [anyQuery, ...rules] })
  expect(await fixes(PROXIES.nginx, open)).toEqual(['/robots.txt?p=1'])
})

/** Passes on every upgrade, and keeps it from the gate. */
const tunnel = (gate: string, site: string) =>
  PROXIES.nginx(gate, site, (sample) =>
    sample
      .replace('Upgrade $http_upgrade', 'Upgrade ""')
      .replace('Upgrade $hv_upgrade', 'Upgrade $http_upgrade')
      .replace('Connection $hv_connection', 'Connection upgrade'),
  )
/** The gate knows a websocket by its key, too. */
const TUNNELS = ['/robots.txt by h2c']
/** A program that folds names gets both spellings. */
const underscores = (gate: string, site: string) =>
  PROXIES.nginx(gate, site, (sample) => `underscores_in_headers on;\n${sample}`)
const ownClearance = nginx('X-HV-Clearance $hv_clearance', 'X-HV-Clearance $http_x_hv_clearance')

test.each<[string, ReturnType<typeof nginx>, string[]]>([
  [
    'a check that is not asked',
    nginx('auth_request /_hv;', ''),
    ['navigation', 'form', 'fetch', 'websocket'],
  ],
  [
    'a page that is not shown',
    nginx('error_page 401 = /.hv/blocked;', ''),
    ['navigation', 'form', 'fetch'],
  ],
  ['the visitor’s own path header', trusting, ['forged x-original-uri']],
  [
    'a policy of the site’s own',
    page('add_header Content-Security-Policy "default-src *" always;'),
    ['policy'],
  ],
  [
    'a cache that ignores no-store',
    page('proxy_hide_header Cache-Control;\nadd_header Age 7 always;'),
    ['cache'],
  ],
  ['the visitor’s own clearance', ownClearance, ['clearance by x-hv-clearance']],
  ['an upgrade that makes a tunnel', tunnel, TUNNELS],
  ['names with _', underscores, ['clearance by x_hv_clearance']],
])('%s is found', async (_what, startProxy, expected) => {
  expect(await fixes(startProxy)).toEqual(expect.arrayContaining(expected))
})
