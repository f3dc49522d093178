/** Agents of the configuration, from real files: keys, addresses, changes, and what is refused. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type AgentSettings, localAgents, type LocalAgents } from '../../../src/agents/agents.ts'
import { keyFileText, rangeFileText } from '../../../src/agents/published.ts'
import { readPastedRequest } from '../../../src/agents/pasted-request.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { type FileWatcher, watchFiles } from '../../../src/settings/watch.ts'
import { signingAgent } from '../../support/signing-agent.ts'

const NOW = unixSeconds(1_800_000_000)
const ORIGIN = 'https://verify.test'
let folder: string
let agents: LocalAgents | undefined
let watcher: FileWatcher | undefined
let lines: string[]
const say =
  (level: string) =>
  (message: string, fields = {}): void =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
const log = { info: say('info'), warn: say('warn'), error: say('error') }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-agents-'))
  lines = []
})
afterEach(() => {
  watcher?.stop()
  rmSync(folder, { recursive: true })
})

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return path
}
const open = async (settings: readonly Partial<AgentSettings>[], origin = ORIGIN) => {
  const whole = settings.map((each) => ({ name: 'x', url: undefined, keys: undefined, ranges: undefined, ...each }))
  agents = await localAgents(whole, origin === '' ? undefined : origin, log)
  watcher = await watchFiles(agents.files, log, 1_000_000)
  // What was written in the moment before the reading counts as a change.
  await looks()
  lines = []
}
/** As often as a change needs to be seen standing still. */
const looks = async () => {
  for (let i = 0; i < 2; i++) await watcher!.look()
}
const named = (headers: Record<string, string> = {}, address?: string) => {
  const text = ['POST /api/v1/solve HTTP/1.1', ...Object.entries(headers).map(([n, v]) => `${n}: ${v}`)].join('\n')
  const request = readPastedRequest(text)
  return agents!.of({ signed: () => (headers['signature'] ? request : undefined), address }, NOW)
}

describe('an agent with keys', () => {
  test('is named by its signature until its key leaves the file, and again when it comes back', async () => {
    const agent = await signingAgent()
    const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
    const other = (await signingAgent()).directory
    const keys = file('keys.json', agent.directory)
    await open([{ name: 'one', keys, url: 'https://agent.test' }])
    expect(named(headers)).toEqual({ name: 'one', refusal: undefined })

    file('keys.json', other)
    await watcher!.look()
    expect(named(headers).name).toBe('one')
    await watcher!.look()
    expect(named(headers)).toEqual({ name: undefined, refusal: 'unknown-key' })

    file('keys.json', agent.directory)
    await looks()
    expect(named(headers).name).toBe('one')
  })

  test('is not named after an empty set has withdrawn its keys, and the service starts with one', async () => {
    const agent = await signingAgent()
    const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
    const keys = file('keys.json', agent.directory)
    await open([{ name: 'one', keys }])
    file('keys.json', '{"keys": []}')
    await looks()
    expect(named(headers)).toEqual({ name: undefined, refusal: 'unknown-key' })
    expect(lines).toEqual([expect.stringMatching(/^info file reloaded/)])

    watcher!.stop()
    await open([{ name: 'one', keys }])
    expect(named(headers).refusal).toBe('unknown-key')
  })

  test('is not named after its file was removed, which is one error, until the file is back', async () => {
    const agent = await signingAgent()
    const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
    mkdirSync(join(folder, 'agents'))
    const keys = file('agents/keys.json', agent.directory)
    await open([{ name: 'one', keys }])
    rmSync(join(folder, 'agents'), { recursive: true })
    await looks()
    await looks()
    expect(named(headers)).toEqual({ name: undefined, refusal: 'unknown-key' })
    expect(lines).toEqual([expect.stringMatching(/^error file removed; .*there is no such file/)])

    mkdirSync(join(folder, 'agents'))
    file('agents/keys.json', agent.directory)
    await looks()
    expect(named(headers).name).toBe('one')
  })

  test('is not named where the service has no public_url, and unsigned requests cost nothing', async () => {
    const agent = await signingAgent()
    await open([{ keys: file('keys.json', agent.directory) }], '')
    let asked = false
    const signed = (): undefined => void (asked = true)
    expect(agents!.of({ signed, address: undefined }, NOW).name).toBeUndefined()
    expect(asked).toBe(false)
  })

  test.each([
    ['is not JSON', 'keys'],
    ['is not a JWK Set: expected a list "keys"', '[]'],
    ['holds no Ed25519 key', '{"keys": [{"kty": "RSA"}, null, 7]}'],
    [
      'holds a private key, expected public keys only',
      '{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "a", "d": "b"}]}',
    ],
    ['holds an Ed25519 key that cannot be read', '{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "a"}]}'],
    ['has 101 keys, expected at most 100', JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) })],
  ])('stops the start where its file %s', async (says, text) => {
    const keys = file('keys.json', text)
    await expect(open([{ keys }])).rejects.toThrow(`${keys} ${says}`)
  })
})

describe('an agent with addresses', () => {
  test('is named by them; a signature counts before', async () => {
    const agent = await signingAgent()
    const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
    await open([
      { name: 'crawler', ranges: file('ranges.txt', '192.0.2.0/24 # one\n2001:db8::/48\n') },
      { name: 'signer', keys: file('keys.json', agent.directory) },
    ])
    expect(named({}, '192.0.2.9').name).toBe('crawler')
    expect(named({}, '2001:db8:0:7::').name).toBe('crawler')
    expect(named({}, '198.51.100.1').name).toBeUndefined()
    expect(named(headers, '192.0.2.9').name).toBe('signer')
    expect(named({ ...headers, signature: 'agent1=:AAAA:' }, '192.0.2.9').name).toBe('crawler')
  })
})

describe('published files', () => {
  test('of keys are reduced to public keys', async () => {
    const { directory } = await signingAgent()
    const { keys } = JSON.parse(directory) as { keys: object[] }
    const text = keyFileText(
      JSON.stringify({ purpose: 'ai', keys: [{ kty: 'RSA' }, { ...keys[0], use: 'sig', extra: 1 }] }),
    )
    expect(JSON.parse(text)).toEqual({ keys: [{ ...keys[0], kid: expect.any(String) }] })
    expect(JSON.parse(keyFileText('{"keys": []}'))).toEqual({ keys: [] })
    expect(() => keyFileText('<html>')).toThrow('is not JSON')
  })

  test('of addresses become lines', () => {
    const json = { prefixes: [{ ipv6Prefix: '2001:db8::/64' }, { ipv4Prefix: '192.0.2.0/27' }] }
    expect(rangeFileText(JSON.stringify(json))).toBe('2001:db8::/64\n192.0.2.0/27\n')
    expect(rangeFileText('# list\n192.0.2.1 ; host\n\n')).toBe('192.0.2.1\n')
  })

  test.each([
    ['is JSON without a list "prefixes"', '{}'],
    ['is not JSON', '{'],
    ['holds no address', '{"prefixes": []}'],
    ['holds no address', ''],
    ['entry 1 is not an address or a CIDR range', '{"prefixes": [null]}'],
    ['entry 1 is not an address or a CIDR range', '<html>'],
    ['entry 2 covers every address', '192.0.2.1\n0.0.0.0/0'],
  ])('%s: refused', (says, text) => expect(() => rangeFileText(text)).toThrow(says))
})

describe('a pasted request', () => {
  test.each([
    ['GET / HTTP/1.1\nHost: a', 'GET', '/'],
    ['POST https://verify.test/api?x=1 HTTP/2\r\nA: b\r\n\r\nbody', 'POST', '/api?x=1'],
    ['GET https://verify.test', 'GET', '/'],
  ])('%j is read', (text, method, target) => expect(readPastedRequest(text)).toMatchObject({ method, target }))
  test.each(['', 'hello', 'GET', 'get / HTTP/1.1', 'GET / HTTP/1.1\nno header'])('%j is none', (text) =>
    expect(readPastedRequest(text)).toBeUndefined(),
  )
})
