/** Two sites behind one proxy and one gate: one name picks what is served, the policy, and what the site gets. */
import { describe, expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import { ask, gateFiles, NAVIGATION, PROXIES, startGate, startSite } from '../../support/gate.ts'

const POLICY = { sitekey: SITEKEY, secret_file: 'secret' }
const STRICT = { ...POLICY, hosts: ['strict.example.com'] }
const SOFT = { ...POLICY, hosts: ['soft.example.com'], shadow: true }
const file = gateFiles('http://127.0.0.1:9', {}, { gates: [STRICT, SOFT] })

const SERVER = /^server \{\n {4}listen [^\n]*\n {4}server_name .*?^\}\n/ms
/** Adds a second site to each sample, as its owner would. */
const TWO_SITES = {
  nginx: (written: string, soft: string) => {
    const named = written.replace(/server_name .*;/, 'server_name strict.example.com;')
    const [strict = ''] = SERVER.exec(named) ?? []
    const other = strict.replace('strict.', 'soft.').replace('}app;', `}${soft};`)
    return named.replace(strict, () => strict + other)
  },
  Caddy: (written: string, soft: string) => {
    const named = written.replace(/^www\.example\.com/m, 'http://strict.example.com:443')
    const strict = named.slice(named.indexOf('http://strict'))
    const last = strict.lastIndexOf('reverse_proxy')
    const other = strict.slice(0, last) + strict.slice(last).replace(/127\S*/, soft)
    return named + other.replace('strict.', 'soft.')
  },
  HAProxy: (written: string, soft: string) => {
    const further = 'use_backend soft if { req.hdr(Host),host_only -i soft.example.com }\n    $&'
    return `${written.replace('default_backend', further)}\nbackend soft\n    server soft ${soft}\n`
  },
}

async function twoSites(name: keyof typeof TWO_SITES) {
  const [strict, soft] = [await startSite('the strict site'), await startSite('the soft site')]
  const gate = await startGate(file)
  const twice = (written: string) => TWO_SITES[name](written, soft.host)
  return { strict, soft, ...(await PROXIES[name](gate.host, strict.host, twice)) }
}

const HTTP = 'http://'
const [STRICT_HOST, SOFT_HOST] = ['strict.example.com', 'soft.example.com']

describe.each(Object.keys(TWO_SITES) as (keyof typeof TWO_SITES)[])('behind %s', (name) => {
  test.each<[what: string, target: string, host: string]>([
    ['its own name', '/secret', STRICT_HOST],
    [
      'an absolute request line, and the other site’s name in Host',
      `${HTTP}${STRICT_HOST}/secret`,
      SOFT_HOST,
    ],
    ['the same with a port', `${HTTP}${STRICT_HOST}:443/secret`, SOFT_HOST],
    ['the same the other way round', `${HTTP}${SOFT_HOST}/secret`, STRICT_HOST],
    ['the other name with a dot at its end', '/secret', `${SOFT_HOST}.`],
    ['the other name with a dot and a port', '/secret', `${SOFT_HOST}.:443`],
    ['the other name in capitals, with a port', '/secret', `${SOFT_HOST.toUpperCase()}:443`],
    ['a name of neither', '/secret', 'other.example.com'],
  ])(
    'the strict site is not shown under the soft site’s policy by %s',
    async (_what, target, host) => {
      const { url, strict, soft } = await twoSites(name)
      const forged = { 'x-forwarded-host': SOFT_HOST, forwarded: `host=${SOFT_HOST}` }
      const { body } = await ask(url, target, { ...NAVIGATION, ...forged, host })
      expect(body).not.toBe('the strict site')
      expect(strict.seen).toEqual([])
      for (const { headers } of soft.seen)
        expect(headers.host).toMatch(/^soft\.example\.com(:\d+)?$/i)
    },
  )

  test('each site has its own policy', async () => {
    const { url } = await twoSites(name)
    const shown = async (host: string) => (await ask(url, '/', { ...NAVIGATION, host })).body
    expect(await shown(STRICT_HOST)).toContain('/.hv/gate.js')
    expect(await shown(SOFT_HOST)).toBe('the soft site')
  })
})

test('nginx gives no site to a name that only the gate knows', async () => {
  const [gate, strict] = [await startGate(file), await startSite()]
  const named = (written: string) =>
    written.replace(/server_name .*;/, `server_name ${STRICT_HOST};`)
  const { url } = await PROXIES.nginx(gate.host, strict.host, named)
  expect((await ask(url, '/', { ...NAVIGATION, host: SOFT_HOST })).status).toBe(421)
  expect(strict.seen).toEqual([])
})
