/** `hv doctor --url` on real processes: a set-up with nothing to fix, and each thing that operators get wrong. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { startHaproxy } from '../../support/proxies.ts'
import { passOn } from '../../support/company-proxy.ts'
import { hv, hvProcess } from '../../support/hv.ts'
import { CONFIG, keyringFile, startService } from '../../support/process.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'
import { startRedis } from '../../support/redis.ts'
import { certificates } from '../store/secured.ts'

const KEYRING = keyringFile()
const folder = newFolder()
const redis = await startRedis()
const service = await startService({
  keyring: KEYRING,
  env: { HV_REDIS_URL: redis.url },
  config: { ...CONFIG, trusted_proxies: ['127.0.0.1/32'] },
})

interface Question {
  /** What of the configuration is otherwise. */
  readonly change?: object
  readonly args?: readonly string[]
  readonly now?: number
  readonly env?: Record<string, string>
}

/** What the doctor finds: `outcome: saw` by check, and the checks that something is wrong with. */
async function examine(url: string, { change = {}, args = [], now, env }: Question = {}) {
  const file = join(folder, 'config.yaml')
  writeFileSync(
    file,
    JSON.stringify({ ...CONFIG, keyring: KEYRING, redis: { url: redis.url }, ...change }),
  )
  const line = ['doctor', '--url', url, '--config', file, '--json', ...args]
  const { code, out } = env
    ? await hvProcess(line, env)
    : await hv(line, now === undefined ? {} : { now: unixSeconds(now) })
  const findings = JSON.parse(out) as {
    check: string
    outcome: string
    saw: string
    advice: string
  }[]
  for (const { outcome, advice } of findings) expect(advice === '').toBe(outcome === 'good')
  return {
    code,
    fixes: findings.filter(({ outcome }) => outcome === 'fix').map(({ check }) => check),
    of: (check: string) =>
      findings
        .filter((each) => each.check === check)
        .map(({ outcome, saw }) => `${outcome}: ${saw}`)
        .join(' | '),
  }
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

interface Proxying {
  readonly change?: (headers: IncomingHttpHeaders) => unknown
  /** What the proxy sends about the visitor; undefined: nothing, as without configuration. */
  readonly forwarded?: (claimed: string | undefined) => string | undefined
  readonly secure?: { readonly key: Buffer; readonly cert: Buffer }
}

async function proxy({ change, forwarded = () => undefined, secure }: Proxying): Promise<string> {
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const { 'x-forwarded-for': claimed, ...headers } = req.headers
    const address = forwarded(claimed as string | undefined)
    req.headers = { ...headers, ...(address !== undefined && { 'x-forwarded-for': address }) }
    passOn(`${service.url}${req.url}`, req, res, change)
  }
  const server = secure ? createSecureServer(secure, handle) : createServer(handle)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closeLater(server, (it) => it.close().closeAllConnections())
  return `${secure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a set-up with nothing to fix but that the doctor asks from the proxy’s own address, which names no visitor', async () => {
  const { code, of } = await examine(service.url, { args: ['--ip', '127.0.0.1'] })
  expect(of('reachable')).toMatch(/^good: \/health answers in \d+ ms$/)
  expect(of('TLS')).toBe('good: none, on this machine only')
  expect(of('clock')).toMatch(/^good/)
  expect(of('captcha.js')).toMatch(/^good: cached for five minutes/)
  expect(of('SRI')).toMatch(/^good: integrity="sha384-[\w+/=]+" crossorigin="anonymous"$/)
  expect(of('CORS shop.example.com')).toBe('good: challenge issued to https://shop.example.com')
  expect(of('visitor address')).toBe('fix: sees none')
  expect(of('Redis')).toBe('good: noeviction, its identity is readable, and its clock is right')
  expect(of('keyring')).toBe('good: 1 key, the active one for 0 days')
  // Asked from the proxy's own address, which this service believes.
  expect(of('X-Forwarded-For')).toMatch(/^fix: a stranger’s 192\.0\.2\.77 was trusted/)
  expect(code).toBe(1)
})

test('an action with a lower threshold than its site: what every handler must send is named', async () => {
  const [site] = CONFIG.sites
  const withActions = (actions: readonly object[]) => ({
    sites: [{ ...site, score_threshold: 0.5, actions }],
  })
  const lower = withActions([{ name: 'silent-check', score_threshold: 0.45 }, { name: 'sign-up' }])
  const check = `actions ${site!.sitekey}`
  expect((await examine(service.url, { change: lower })).of(check)).toBe(
    'unknown: silent-check passes at 0.45, the site at 0.5',
  )
  const higher = withActions([{ name: 'log-in', score_threshold: 0.7 }])
  expect((await examine(service.url, { change: higher })).of(check)).toBe('')
})

test('a rule for one action alone: what every handler must send is named', async () => {
  const [site] = CONFIG.sites
  const withRule = (when: object) => ({
    sites: [{ ...site, rules: [{ name: 'partners', when, effect: { allow: true } }] }],
  })
  const check = `rules ${site!.sitekey}`
  const ofAction = withRule({ action: ['news'] })
  expect((await examine(service.url, { change: ofAction })).of(check)).toBe(
    'unknown: of one action: partners',
  )
  const ofNetwork = withRule({ cidr: ['192.0.2.0/24'] })
  expect((await examine(service.url, { change: ofNetwork })).of(check)).toBe('')
})

describe('behind a proxy', () => {
  test('that replaces X-Forwarded-For, strangers are not believed and the visitor is seen', async () => {
    const { of } = await examine(await proxy({ forwarded: () => '198.51.100.9' }), {
      args: ['--ip', '198.51.100.9'],
    })
    expect(of('visitor address')).toBe('good: sees 198.51.100.9, as it should')
    expect(of('X-Forwarded-For')).toBe('good: of strangers is ignored')
  })

  const CDN = (headers: IncomingHttpHeaders): void => {
    headers['cf-ray'] = '9a1b2c3d4e5f6789-FRA'
  }
  test.each([
    {
      args: [],
      says: 'unknown: sees a public one, and Cloudflare is in front: yours, or its own',
    },
    {
      args: ['--ip', '198.51.100.9'],
      says: 'fix: does not see 198.51.100.9, but another public address, that of Cloudflare or of a proxy behind it',
    },
    { args: ['--ip', '9.9.9.9'], says: 'good: sees 9.9.9.9, as it should' },
  ])('that is behind a CDN: asked with $args, $says', async ({ args, says }) => {
    const front = await proxy({ change: CDN, forwarded: () => '9.9.9.9' })
    const { of } = await examine(front, { args })
    expect(of('visitor address')).toBe(says)
  })

  test('that forwards headers of strangers, that is found', async () => {
    const { of } = await examine(await proxy({ forwarded: (claimed) => claimed }))
    expect(of('X-Forwarded-For')).toMatch(/^fix/)
  })

  test.each([
    ['captcha.js', 'cache-control', 'no-cache', /^fix: Cache-Control: no-cache/],
    ['SRI', 'access-control-allow-origin', [], /^fix: no Access-Control-Allow-Origin: \*/],
    [
      'CORS shop.example.com',
      'access-control-allow-origin',
      '*',
      /^fix: Access-Control-Allow-Origin: \*/,
    ],
    ['clock', 'date', inSeconds(-3600), /^fix: 3\d\d\d s behind/],
  ])('%s with another %s is found (%#)', async (check, name, value, wanted) => {
    const change = (headers: IncomingHttpHeaders): void => {
      headers[name] = value as string
    }
    const { code, of } = await examine(await proxy({ change }))
    expect(of(check)).toMatch(wanted)
    expect(code).toBe(1)
  })
})

describe('TLS', () => {
  const tls = certificates(90)
  const secure = { key: readFileSync(tls.key), cert: readFileSync(tls.cert) }
  const overTls = () => proxy({ secure, forwarded: () => '198.51.100.9' })

  test('with an untrusted certificate is found, and so is its expiry', async () => {
    const { code, of, fixes } = await examine(await overTls())
    expect(of('TLS')).toMatch(
      /^fix: TLSv1\.[23], certificate for (89|90) more days; not trusted \(/,
    )
    expect([of('reachable'), of('captcha.js'), of('CORS')]).toEqual(
      Array(3).fill('unknown: not asked'),
    )
    expect([fixes, code]).toEqual([['TLS'], 1])
  })

  test('of an authority that NODE_EXTRA_CA_CERTS names is examined to the end', async () => {
    const { code, of, fixes } = await examine(await overTls(), {
      env: { NODE_EXTRA_CA_CERTS: tls.ca },
    })
    expect(of('TLS')).toMatch(/^good: TLSv1\.[23], certificate for (89|90) more days$/)
    expect(of('CORS shop.example.com')).toBe('good: challenge issued to https://shop.example.com')
    expect(of('X-Forwarded-For')).toBe('good: of strangers is ignored')
    expect([fixes, code]).toEqual([[], 0])
  })
})

const [site] = CONFIG.sites
const readable = (): string => {
  const file = keyringFile()
  chmodSync(file, 0o644)
  return file
}
const inAYear = Math.floor(Date.now() / 1000) + 365 * 86_400
const REDIS = { url: 'redis://127.0.0.1:9/0' }
const late = await startLyingRedis()
late.shift(-3_600_000)
const LATE = { keyring: keyringFile(), redis: { url: late.url } }
const pageAt = (url: string): Question => ({ args: ['--page', url] })
const UNKNOWN = [{ ...site, sitekey: 'hv_site_unknownshop' }]
test.each<[when: string, question: Question, check: string, says: RegExp]>([
  [
    'the keyring is another',
    { change: { keyring: keyringFile() } },
    'visitor address',
    /^fix: no key of this keyring/,
  ],
  [
    'others can read it',
    { change: { keyring: readable() } },
    'keyring',
    /^fix: .*others on this machine can read/,
  ],
  ['the key is old', { now: inAYear }, 'keyring', /^fix: 1 key, the active one for 365 days$/],
  ['Redis is not there', { change: { redis: REDIS } }, 'Redis', /^fix: redis cannot be reached/],
  [
    'the clock of Redis is off',
    { change: LATE },
    'Redis',
    /^fix: its clock is 3\d+ s behind this machine's$/,
  ],
  [
    'a site is unknown',
    { change: { sites: UNKNOWN } },
    'CORS shop.example.com',
    /^fix: invalid-input-sitekey$/,
  ],
  [
    'a page is on a hostname',
    pageAt('https://shop.example.com/'),
    'page shop.example.com',
    /^good: a host/,
  ],
  [
    'a page is on none',
    pageAt('http://localhost/'),
    'page localhost',
    /^fix: not a hostname of any site/,
  ],
])('says so when %s', async (_when, question, check, says) => {
  expect((await examine(service.url, question)).of(check)).toMatch(says)
})

// Browsers ask the visitor before a public page may reach a private address: Local Network Access.
test.each([
  ['127.0.0.1', 'good: 127.0.0.1: this machine'],
  ['192.168.255.254', 'unknown: 192.168.255.254: private'],
])('nobody answers at %s: the address is named, and nothing else is asked', async (host, says) => {
  const { code, of, fixes } = await examine(`http://${host}:9/`)
  expect(of('address')).toBe(says)
  expect([fixes, code]).toEqual([['reachable'], 1])
})

test('two processes with embedded ledgers and one keyring behind a balancer are found from outside', async () => {
  const [one, two] = await Promise.all([
    startService({ keyring: KEYRING }),
    startService({ keyring: KEYRING }),
  ])
  const balancer = await startHaproxy([one.url, two.url])
  expect((await examine(balancer.url)).of('one ledger')).toMatch(/^fix: /)
  expect((await examine(one.url)).of('one ledger')).toMatch(/^good: /)
})
