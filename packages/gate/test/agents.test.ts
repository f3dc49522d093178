/** Agents that sign their requests to a protected host, by another program's signatures. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { KEY_DIRECTORY, keysOf } from '../../../src/agents/key-file.ts'
import { closeLater, newFolder } from '../../../test/support/close-later.ts'
import { ask, gateFiles, type Headers, NAVIGATION, startGate } from '../../../test/support/gate.ts'
import { needProgram } from '../../../test/support/programs.mjs'
import { signingAgent } from '../../../test/support/signing-agent.ts'
import { Agents, type KnownAgent } from '../src/agents.ts'
import { run } from '../src/cli.ts'
import { AGENT_CARD, KeyDirectories, rateInCard } from '../src/key-directories.ts'
import { createLog } from '../src/log.ts'
import { lookupPublic, publicGet, type Way } from '../src/public-get.ts'
import { isPublic } from '../src/ranges.ts'
import type { Visit } from '../src/visit.ts'

const NOW = 1_800_000_000
const HOST = 'www.example.com'
const URL_OF = `https://${HOST}/list?page=2`
const agent = await signingAgent()
const stranger = await signingAgent()
const silent = createLog('error', () => {})

const visitWith = (
  headers: Readonly<Record<string, string>>,
  change: Partial<Visit> = {},
): Visit => ({
  method: 'GET',
  target: '/list?page=2',
  host: HOST,
  origin: `https://${HOST}`,
  isSecure: true,
  address: '203.0.113.7',
  headers: { 'user-agent': 'agent/1', ...headers },
  ...change,
})
const signer: KnownAgent = {
  name: 'signer',
  url: 'https://agent.test',
  keys: keysOf(agent.directory),
  rate: undefined,
}
const agentsAt = (now: number, known: readonly KnownAgent[] = [signer]) =>
  new Agents(known, new KeyDirectories(), () => now)
const signed = (by = agent, url = URL_OF, at = NOW) => by.headers(url, at, 'GET')

describe('the signature of a request', () => {
  const found = async (
    headers: Readonly<Record<string, string>>,
    change: Partial<Visit> = {},
    now = NOW + 1,
  ) => agentsAt(now).identify(visitWith(headers, change), true)

  test('names the agent, and proves it, at the host that it was made for', async () => {
    const headers = await signed()
    const proven = { agent: 'signer', result: 'verified' }
    expect(await found(headers)).toEqual(proven)
    // Over the authority alone it fits each page of the host, until it expires.
    expect(await found(headers, { target: '/other', method: 'POST' })).toEqual(proven)
    expect(await found({})).toBeUndefined()
  })

  test.each([
    { what: 'at another host', change: { origin: 'https://shop.example.com' }, is: 'invalid' },
    { what: 'at another port', change: { origin: `https://${HOST}:8443` }, is: 'invalid' },
    { what: 'at a host that is none', change: { origin: undefined }, is: 'malformed' },
    { what: 'after five minutes', now: NOW + 301, is: 'expired' },
    { what: 'before its time', now: NOW - 31, is: 'not-yet-valid' },
    { what: 'without its signature', headers: { signature: '' }, is: 'malformed' },
    {
      what: 'by another signature',
      headers: { signature: `agent1=:${Buffer.alloc(64).toString('base64')}:` },
      is: 'invalid',
    },
    {
      what: 'with headers that are too long to be read',
      headers: { 'signature-input': `agent1=("${'a'.repeat(60_000)}")` },
      is: 'malformed',
    },
    {
      what: 'with ten thousand signatures',
      headers: { 'signature-input': Array(10_000).fill('a=()').join(',') },
      is: 'malformed',
    },
    {
      what: 'for another agent',
      headers: { 'signature-agent': 'agent1="https://other.test"' },
      is: 'other-agent',
    },
  ])('is not accepted $what', async ({ change, now, headers, is }) => {
    const given = { ...(await signed()), ...headers }
    expect((await found(given, change, now))?.result).toBe(is)
  })

  test('by a stranger who names the agent only claims to be it', async () => {
    expect(await found(await signed(stranger))).toEqual({ agent: 'signer', result: 'unknown-key' })
    const other = await signingAgent('https://unheard-of.test')
    expect(await found(await signed(other))).toEqual({ agent: undefined, result: 'unknown-key' })
  })

  test('counts once where it has a nonce, and as often as it is shown for the page', async () => {
    const agents = agentsAt(NOW + 1)
    const visit = visitWith(await signed())
    const results: unknown[] = []
    for (const isCounted of [false, true, true, false])
      results.push((await agents.identify(visit, isCounted))?.result)
    expect(results).toEqual(['verified', 'verified', 'replayed', 'verified'])
    expect((await agents.identify(visitWith(await signed()), true))?.result).toBe('verified')
  })

  test('is remembered for as long as it is valid', async () => {
    let now = NOW
    const agents = new Agents([signer], new KeyDirectories(), () => now)
    await agents.identify(visitWith(await signed()), true)
    const late = visitWith(await signed(agent, URL_OF, NOW + 600))
    now = NOW + 601
    expect((await agents.identify(late, true))?.result).toBe('verified')
    now = NOW + 640
    await agents.identify(visitWith(await signed(agent, URL_OF, now)), true)
    now = NOW + 899
    expect((await agents.identify(late, true))?.result).toBe('replayed')
  })

  test('takes nothing of the rate when its nonce was used', async () => {
    const agents = agentsAt(NOW + 1, [{ ...signer, rate: { points: 2, duration: 60 } }])
    const copied = visitWith(await signed())
    const results: unknown[] = []
    for (const visit of [copied, copied, copied, visitWith(await signed())])
      results.push((await agents.identify(visit, true))?.result)
    expect(results).toEqual(['verified', 'replayed', 'replayed', 'verified'])
  })

  test('counts as often as its rate says', async () => {
    const agents = agentsAt(NOW + 1, [{ ...signer, rate: { points: 2, duration: 60 } }])
    const results: unknown[] = []
    for (let i = 0; i < 3; i++)
      results.push((await agents.identify(visitWith(await signed()), true))?.result)
    expect(results).toEqual(['verified', 'verified', 'rate'])
  })
})

describe('the directory of an agent', () => {
  test('gives its keys and its rate, for a day after it was fetched last', async () => {
    let now = NOW * 1000
    let isUp = true
    const asked: string[] = []
    async function get(url: string): Promise<string> {
      asked.push(url)
      if (!isUp) throw new Error('status 503')
      return url.endsWith(AGENT_CARD) ? '{"rate-expectation":"avg=2rps"}' : agent.directory
    }
    const directories = closeLater(new KeyDirectories(get, () => now), (it) => it.end())
    const fetched: KnownAgent = { ...signer, keys: undefined }
    const agents = new Agents([fetched], directories, () => NOW + 1)
    const result = async () => (await agents.identify(visitWith(await signed()), true))?.result
    expect(await result()).toBe('unknown-key')
    await directories.follow([signer.url, signer.url], silent)
    expect(asked).toEqual([`${signer.url}${KEY_DIRECTORY}`, `${signer.url}${AGENT_CARD}`])
    expect(await result()).toBe('verified')
    expect(directories.rateOf(signer.url)).toEqual({ points: 120, duration: 60 })
    isUp = false
    now += 23 * 3_600_000
    await directories.refresh(signer.url)
    expect(await result()).toBe('verified')
    now += 3_600_000
    expect(await result()).toBe('unknown-key')
    isUp = true
    await directories.refresh(signer.url)
    expect(await result()).toBe('verified')
    await directories.follow([], silent)
    expect(await result()).toBe('unknown-key')
    // Whatever was asked of the agents, nothing was fetched for it.
    expect(asked.length).toBe(5)
  })

  test.each([
    ['{"rate-expectation":"avg=10rps;max=100rps"}', 600],
    ['{"rate-expectation":"max=100rps;avg=10rps"}', 600],
    ['{"rate-expectation":"500 rps"}', 30_000],
    ['{"rate-expectation":"avg=0.5rps"}', 30],
    ['{"rate-expectation":"Spikes during reindexing"}', undefined],
    ['{"rate-expectation":"0 rps"}', undefined],
    ['{"rate-expectation":10}', undefined],
    ['{}', undefined],
    ['null', undefined],
  ])('the card %s states %s requests a minute', (text, points) =>
    expect(rateInCard(text)?.points).toBe(points),
  )
})

describe('what a public server publishes', () => {
  const folder = newFolder()
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const made = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=agent.test -addext subjectAltName=DNS:agent.test,DNS:localhost -keyout ${key} -out ${certificate}`

  test('is fetched by its name, whole, and from nowhere else', async () => {
    execFileSync(needProgram('openssl'), made.split(' '), { stdio: 'pipe' })
    const ca = readFileSync(certificate, 'utf8')
    const asked: string[] = []
    const server = createServer({ cert: ca, key: readFileSync(key) }, (req, res) => {
      asked.push(req.url!)
      if (req.url === '/moved') res.writeHead(302, { location: '/keys' }).end()
      else res.end(req.url === '/keys' ? agent.directory : 'x'.repeat(65_537))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closeLater(server, (it) => {
      it.closeAllConnections()
      it.close()
    })
    const { port } = server.address() as { port: number }
    const way: Way = {
      ca,
      lookup: (_name, options, done) =>
        options.all === true
          ? done(null, [{ address: '127.0.0.1', family: 4 }])
          : done(null, '127.0.0.1', 4),
    }
    const at = (path: string, by: Way = way, name = 'agent.test') =>
      publicGet(`https://${name}:${port}${path}`, by)
    expect(await at('/keys')).toBe(agent.directory)
    await expect(at('/moved')).rejects.toThrow('status 302')
    await expect(at('/large')).rejects.toThrow('more than 65536 bytes')
    await expect(at('/keys', { lookup: way.lookup })).rejects.toThrow('certificate')
    const before = asked.length
    await expect(at('/keys', { ca, lookup: lookupPublic }, 'localhost')).rejects.toThrow(
      'localhost has an address that is not public',
    )
    await expect(at('/keys', way, '127.0.0.1')).rejects.toThrow('is no https address')
    await expect(at('/keys', way, '[::1]')).rejects.toThrow('is no https address')
    expect(asked.length).toBe(before)
  })

  test.each([
    ['8.8.8.8', true],
    ['2606:4700::1', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['192.168.1.1', false],
    ['0.0.0.0', false],
    ['::1', false],
    ['::ffff:10.0.0.1', false],
    ['64:ff9b::a00:1', false],
    ['fd00::1', false],
    ['fe80::1%eth0', false],
    ['no address', false],
  ])('%s is public: %s', (address, is) => expect(isPublic(address)).toBe(is))
})

const SIGNER = { name: 'signer', url: 'https://agent.test' }
const RULES = [
  { name: 'closed', when: { path: ['/closed/*'] }, effect: 'deny' },
  { name: 'signed', when: { agent: ['signer'] }, effect: 'allow' },
]

describe('a gate with agents', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const get = async (url: string): Promise<string> => {
    if (url.endsWith(AGENT_CARD)) throw new Error('status 404')
    return agent.directory
  }
  const told = (headers: Headers, change: Headers = {}): Headers => ({
    'x-forwarded-method': 'GET',
    'x-forwarded-uri': '/list?page=2',
    'x-forwarded-host': HOST,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
    ...headers,
    ...change,
  })

  test('lets a signed agent in by a rule, tells the site who it is, and counts', async () => {
    const file = gateFiles(
      'https://verify.example.com',
      { hosts: [HOST, 'shop.example.com'], rules: RULES },
      { agents: [SIGNER] },
    )
    const gate = await startGate(file, get)
    const check = (headers: Headers, change: Headers = {}) =>
      ask(gate.url, '/check/forward', told(headers, change))
    const headers = await signed(agent, URL_OF, now())
    const first = await check(headers)
    expect([first.status, first.headers['x-hv-guest']]).toEqual([204, 'verified signer'])
    expect((await check(headers)).status).toBe(401)
    const shop = await check(await signed(agent, URL_OF, now()), {
      'x-forwarded-host': 'shop.example.com',
    })
    expect(shop.status).toBe(401)
    expect((await check(await signed(agent, URL_OF, now() - 400))).status).toBe(401)
    expect((await check(await signed(stranger, URL_OF, now()))).status).toBe(401)
    const closed = await check(await signed(agent, URL_OF, now()), {
      'x-forwarded-uri': '/closed/x',
    })
    expect(closed.status).toBe(403)
    expect(gate.lines()).toContainEqual(
      expect.objectContaining({
        message: 'signature not accepted',
        guest: 'claimed signer',
        detail: 'replayed',
        network: '203.0.113.0/24',
      }),
    )
    const metrics = await gate.ops('/metrics')
    for (const [result, count] of Object.entries({
      verified: 2,
      replayed: 1,
      invalid: 1,
      expired: 1,
      'unknown-key': 1,
    }))
      expect(metrics).toContain(
        `hv_gate_signatures_total{agent="signer",result="${result}"} ${count}`,
      )
    expect(metrics).toContain(
      `hv_gate_guests_total{host="${HOST}",guest="signer",strength="verified",answer="open"} 1`,
    )
  })

  test('shows the page for nginx by the same signature', async () => {
    const rules = [{ name: 'pressed', when: { agent: ['any'] }, effect: 'level 2' }]
    const settings = { agents: [{ ...SIGNER, keys: 'keys.json' }] }
    const file = gateFiles('https://verify.example.com', { hosts: [HOST], rules }, settings)
    writeFileSync(join(file, '..', 'keys.json'), agent.directory)
    const gate = await startGate(file, () => Promise.reject(new Error('no network')))
    const headers = {
      ...told(await signed(agent, URL_OF, now())),
      'x-original-uri': '/list?page=2',
      'x-original-method': 'GET',
      ...NAVIGATION,
    }
    expect((await ask(gate.url, '/check/nginx', headers)).status).toBe(401)
    expect((await ask(gate.url, '/.hv/blocked', headers)).body).toContain('gate-pressed')
  })

  test('keeps the keys of a directory when its configuration is read again', async () => {
    const gate = { hosts: [HOST], rules: RULES }
    const file = gateFiles('https://verify.example.com', gate, { agents: [SIGNER] })
    let count = 0
    const started = await startGate(file, (url) => {
      count += 1
      return get(url)
    })
    started.reload()
    const { status } = await ask(
      started.url,
      '/check/forward',
      told(await signed(agent, URL_OF, now())),
    )
    expect([status, count]).toEqual([204, 2])
  })
})

describe('the configuration', () => {
  const command = async (words: readonly string[], gate: object, settings: object, keys = '') => {
    const file = gateFiles('https://verify.example.com', gate, settings)
    writeFileSync(join(file, '..', 'keys.json'), keys)
    const lines: string[] = []
    const print = (line: string): void => void lines.push(line)
    return { code: await run([...words, '--config', file], print, print), text: lines.join('\n') }
  }

  test.each([
    {
      what: { name: 'any', url: 'https://a.test' },
      says: 'expected 1 to 20 of a-z 0-9 _ -, not any',
    },
    { what: { name: 'a', url: 'http://a.test' }, says: 'expected an address such as https://' },
    { what: { name: 'a', url: 'https://a.test/x' }, says: 'expected an address such as https://' },
    { what: { name: 'a', url: 'https://127.0.0.1' }, says: 'expected an address such as https://' },
    { what: { name: 'a', url: 'https://[::1]' }, says: 'expected an address such as https://' },
    { what: { name: 'a', url: 'https://localhost' }, says: 'expected an address such as https://' },
    { what: { name: 'a' }, says: 'agents[0].url             is missing' },
    {
      what: { name: 'googlebot', url: 'https://a.test' },
      says: 'is the name of a guest, or repeated',
    },
    { what: { name: 'a', url: 'https://a.test', keys: 'none.json' }, says: '(ENOENT)' },
    { what: { name: 'a', url: 'https://a.test', keys: 'keys.json' }, says: 'is not JSON' },
    { what: { name: 'a', url: 'https://a.test', rate: 'much' }, says: 'expected a rate such as' },
  ])('$what is an error', async ({ what, says }) => {
    const { code, text } = await command(['check'], {}, { agents: [what] })
    expect([code, text]).toEqual([1, expect.stringContaining(says)])
  })

  test.each([
    { names: ['other'], says: 'other is no name of agents' },
    { names: ['googlebot'], says: 'a guest is named by "guest: [googlebot]"' },
    { names: ['Other'], says: 'expected the name of an entry of agents, or any' },
  ])('a rule with the agents $names is an error', async ({ names, says }) => {
    const rules = [{ name: 'x', when: { agent: names }, effect: 'allow' }]
    const { code, text } = await command(['check'], { rules }, { agents: [SIGNER] })
    expect([code, text]).toEqual([1, expect.stringContaining(says)])
  })

  test('any needs an agent, and an agent needs a rule', async () => {
    const rules = [{ name: 'x', when: { agent: ['any'] }, effect: 'allow' }]
    expect((await command(['check'], { rules }, {})).text).toContain('any is no name of agents')
    const { code, text } = await command(['check'], {}, { agents: [SIGNER] })
    expect([code, text]).toEqual([0, expect.stringContaining('signer: no rule names this agent')])
  })

  test('try knows a signed agent', async () => {
    const words = ['try', 'https://127.0.0.1/list', '--as', 'signer']
    const { text } = await command(words, { rules: RULES }, { agents: [SIGNER] })
    expect(text).toContain('203.0.113.7, verified signer')
    expect(text).toContain('decides   signed: let in')
  })
})
