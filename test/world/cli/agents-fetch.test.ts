/** `hv agents fetch` against a server that speaks TLS: what it writes, and what leaves the old file as it is. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { KEY_DIRECTORY } from '../../../src/agents/key-file.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { hvProcess } from '../../support/hv.ts'
import { CONFIG } from '../../support/process.ts'
import { certificates } from '../store/secured.ts'

const JWK = {
  ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  kid: 'one',
  use: 'sig',
  note: 'x',
}
const DIRECTORY = JSON.stringify({ keys: [JWK], more: 'of no use' })
const RANGES = JSON.stringify({
  prefixes: [{ ipv4Prefix: '192.0.2.0/27' }, { ipv6Prefix: '2001:db8::/64' }],
})

let asked: string[] = []
let answer: (res: ServerResponse, path: string) => void

const tls = certificates()
const server = createServer(
  { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
  (req, res) => {
    asked.push(`${req.method} ${req.url}`)
    answer(res, req.url!)
  },
).listen(0, '127.0.0.1')
await once(server, 'listening')
const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
const agents = [
  { name: 'signer', url: `${base}/about`, keys: 'agents/signer.json' },
  { name: 'crawler', url: `${base}/ranges.json`, ranges: 'agents/crawler.txt' },
]
const folder = newFolder()
const config = join(folder, 'config.yaml')
writeFileSync(
  config,
  JSON.stringify({ ...CONFIG, public_url: 'https://verify.example.com', agents }),
)
closeLater(server, (it) => it.close().closeAllConnections())
beforeEach(() => {
  asked = []
  rmSync(join(folder, 'agents'), { recursive: true, force: true })
  answer = (res, path) => void res.end(path === KEY_DIRECTORY ? DIRECTORY : RANGES)
})

const fileOf = (name: string): string =>
  join(folder, 'agents', name === 'signer' ? 'signer.json' : 'crawler.txt')

const fetchAgent = (name: string, env: Record<string, string> = { NODE_EXTRA_CA_CERTS: tls.ca }) =>
  hvProcess(['agents', 'fetch', name, '--config', config], env)

test('keys come from the directory below the host, and of each only what a key file has', async () => {
  const { code, out } = await fetchAgent('signer')
  expect([code, out]).toEqual([0, `${fileOf('signer')}: written from ${base}${KEY_DIRECTORY}\n`])
  expect(asked).toEqual([`GET ${KEY_DIRECTORY}`])
  const { kty, crv, x } = JWK as Record<string, unknown>
  // Its thumbprint, whatever the directory calls it: RFC 7638.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
  expect(JSON.parse(readFileSync(fileOf('signer'), 'utf8'))).toEqual({
    keys: [{ kty, crv, x, kid }],
  })
})

test('addresses come from the url itself, one range a line', async () => {
  expect((await fetchAgent('crawler')).code).toBe(0)
  expect(asked).toEqual(['GET /ranges.json'])
  expect(readFileSync(fileOf('crawler'), 'utf8')).toBe('192.0.2.0/27\n2001:db8::/64\n')
})

describe('the old file stays, and the reason is printed,', () => {
  const OLD = 'the old one'
  beforeEach(() => {
    mkdirSync(join(folder, 'agents'))
    for (const name of ['signer', 'crawler']) writeFileSync(fileOf(name), OLD)
  })

  test.each<[string, string, (res: ServerResponse, path: string) => void, RegExp]>([
    ['an error', 'signer', (res) => void res.writeHead(500).end(DIRECTORY), /answered 500/],
    [
      'a redirect: whoever controls one page of the host would choose the keys',
      'signer',
      (res, path) =>
        void (path === '/keys'
          ? res.end(DIRECTORY)
          : res.writeHead(302, { location: '/keys' }).end()),
      /fetch failed: .*redirect/,
    ],
    // What a file may contain: test/rooms/agents/agents.test.ts.
    ['a page in place of keys', 'signer', (res) => void res.end('<html>'), /is not JSON/],
    [
      'more than 8 MiB',
      'crawler',
      (res) => void res.end(Buffer.alloc(8 * 1024 * 1024 + 1, '192.0.2.1\n')),
      /sends more than 8 MiB/,
    ],
    [
      'an end in the middle',
      'crawler',
      (res) => {
        res.writeHead(200, { 'content-length': '99' }).write('1')
        res.socket!.destroy()
      },
      /terminated|fetch failed/,
    ],
  ])('after %s', async (_what, name, gives, says) => {
    answer = gives
    const { code, out, err } = await fetchAgent(name)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(says)
    expect(err).toContain(`${fileOf(name)} was not changed`)
    expect(readFileSync(fileOf(name), 'utf8')).toBe(OLD)
    expect(asked).toHaveLength(1)
  })

  test('after an untrusted certificate', async () => {
    const { code, err } = await fetchAgent('signer', {})
    expect(code).toBe(1)
    expect(err).toMatch(/fetch failed: .*certificate/)
    expect(readFileSync(fileOf('signer'), 'utf8')).toBe(OLD)
    expect(asked).toEqual([])
  })
})

test('an agent that is not configured is a usage error, and no request is sent', async () => {
  const { code, err } = await fetchAgent('nobody')
  expect(code).toBe(2)
  expect(err).toContain('has no agent "nobody"')
  expect([asked, existsSync(join(folder, 'agents'))]).toEqual([[], false])
})
