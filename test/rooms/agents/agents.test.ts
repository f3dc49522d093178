/** Agents of the configuration, from real files: keys, addresses, changes, and what is refused. */
import { rmSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localAgents, type LocalAgents } from '../../../src/agents/agents.ts'
import { rangeFileText } from '../../../src/agents/published.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import type { Config } from '../../../src/settings/load.ts'
import { signingAgent } from '../../support/signing-agent.ts'
import { watchedFolder } from './watched-folder.ts'

const NOW = unixSeconds(1_800_000_000)
const ORIGIN = 'https://verify.test'
let agents: LocalAgents | undefined
const { log, looks, watch, write } = watchedFolder()
const open = async (settings: readonly Partial<Config['agents'][number]>[], origin = ORIGIN) => {
  const whole = settings.map((each) => ({
    name: 'x',
    url: undefined,
    keys: undefined,
    ranges: undefined,
    ...each,
  }))
  agents = await localAgents(whole, origin === '' ? undefined : origin, log)
  await watch(agents.files)
}
const named = (headers: Record<string, string> = {}, address?: string) => {
  const fields = (name: string): string[] => (headers[name] === undefined ? [] : [headers[name]])
  const request = { method: 'POST', target: '/api/v1/solve', fields }
  return agents!.identify(
    { signed: () => (headers['signature'] ? request : undefined), address },
    NOW,
  )
}

describe('an agent with keys', () => {
  test('is named by its signature until its key, all keys or the whole file are removed', async () => {
    const agent = await signingAgent()
    const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
    const other = (await signingAgent()).directory
    const keys = write('keys.json', agent.directory)
    await open([{ name: 'one', keys, url: 'https://agent.test' }])
    expect(named(headers)).toEqual({ name: 'one', refusal: undefined })

    write('keys.json', other)
    await looks(1)
    expect(named(headers).name).toBe('one')
    await looks(1)
    expect(named(headers)).toEqual({ name: undefined, refusal: 'unknown-key' })

    write('keys.json', agent.directory)
    await looks()
    expect(named(headers).name).toBe('one')

    log.lines.length = 0
    write('keys.json', '{"keys": []}')
    await looks()
    expect(named(headers)).toEqual({ name: undefined, refusal: 'unknown-key' })
    expect(log.lines).toEqual([expect.stringMatching(/^info file reloaded/)])
    await open([{ name: 'one', keys }])
    expect(named(headers).refusal).toBe('unknown-key')

    rmSync(keys)
    await looks()
    expect(log.lines.at(-1)).toMatch(/^error file removed; .*there is no such file/)
  })

  test('is not named where the service has no public_url, and unsigned requests cost nothing', async () => {
    const agent = await signingAgent()
    await open([{ keys: write('keys.json', agent.directory) }], '')
    let asked = false
    const signed = (): undefined => {
      asked = true
    }
    expect(agents!.identify({ signed, address: undefined }, NOW).name).toBeUndefined()
    expect(asked).toBe(false)
  })

  const unreadable = { kty: 'OKP', crv: 'Ed25519', x: 'a' }
  test.each([
    ['is not JSON', 'keys'],
    ['is not a JWK Set: expected a list "keys"', '[]'],
    ['has no Ed25519 key', '{"keys": [{"kty": "RSA"}, null, 7]}'],
    [
      'has a private key, expected public keys only',
      JSON.stringify({ keys: [{ ...unreadable, d: 'b' }] }),
    ],
    ['has an Ed25519 key that cannot be read', JSON.stringify({ keys: [unreadable] })],
    [
      'has an Ed25519 key that cannot be read',
      JSON.stringify({ keys: [{ ...unreadable, x: 'A'.repeat(43) }] }),
    ],
    [
      'has 101 keys, expected at most 100',
      JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) }),
    ],
  ])('stops the start where its file %s', async (says, text) => {
    const keys = write('keys.json', text)
    await expect(open([{ keys }])).rejects.toThrow(`${keys} ${says}`)
  })
})

test('an agent with addresses is named by them; a signature counts before', async () => {
  const agent = await signingAgent()
  const headers = await agent.headers(`${ORIGIN}/api/v1/solve`, NOW)
  await open([
    { name: 'crawler', ranges: write('ranges.txt', '192.0.2.0/24 # one\n2001:db8::/48\n') },
    { name: 'signer', keys: write('keys.json', agent.directory) },
  ])
  expect(named({}, '192.0.2.9').name).toBe('crawler')
  expect(named({}, '2001:db8:0:7::').name).toBe('crawler')
  expect(named({}, '198.51.100.1').name).toBeUndefined()
  expect(named(headers, '192.0.2.9').name).toBe('signer')
  expect(named({ ...headers, signature: 'agent1=:AAAA:' }, '192.0.2.9').name).toBe('crawler')
})

test.each([
  ['is JSON without a list "prefixes"', '{}'],
  ['is not JSON', '{'],
  ['has no address', '{"prefixes": []}'],
  ['has no address', ''],
  ['entry 1 is not an address or a CIDR range', '{"prefixes": [null]}'],
  ['entry 1 is not an address or a CIDR range', '<html>'],
  ['entry 2 covers every address', '192.0.2.1\n0.0.0.0/0'],
])('a published list of addresses that %s is refused', (says, text) =>
  expect(() => rangeFileText(text)).toThrow(says),
)
