import { expect, test } from '@jest/globals'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { clearances, type Level, readKeys, withNewKey } from '../src/clearances.ts'
import type { Gate } from '../src/read-settings.ts'
import type { Visit } from '../src/visit.ts'

const NOW = 1_800_000_000
const KEYS = readKeys(withNewKey())!
const policy = {
  lifetime: 3600,
  bind: 'network',
  networks: 4,
  rate: new RateLimiterMemory({ points: 600, duration: 60 }),
} as Gate
const visit: Visit = {
  method: 'GET',
  target: '/',
  host: 'www.example.com',
  isSecure: true,
  address: '192.0.2.7',
  headers: {},
}

async function given(level: Level = 1, keys: readonly Uint8Array[] = KEYS, at: Visit = visit) {
  const { cookie, id } = await clearances(keys, () => NOW).issue(at, policy, level)
  return { cookie, id, pair: cookie.split(';')[0]! }
}
/** Looks at a cookie in a gate of its own. */
async function look(
  cookie: string,
  { at = visit, gate = policy, level = 1, keys = KEYS, now = NOW }: Partial<Looked> = {},
) {
  const found = await clearances(keys, () => now).look({ ...at, headers: { cookie } }, gate, level)
  return found.at
}
interface Looked {
  at: Visit
  gate: Gate
  level: Level
  keys: readonly Uint8Array[]
  now: number
}

test('the cookie is of this host alone, out of reach of scripts, small, and says nothing about a person', async () => {
  const { cookie, pair, id } = await given()
  expect(cookie).toMatch(/^__Host-hv=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/)
  expect(pair.length).toBeLessThanOrEqual(350)
  expect(id).toMatch(/^[\w-]{22}$/)
  const claims = Buffer.from(pair.split('.')[1]!, 'base64url').toString()
  expect(Object.keys(JSON.parse(claims) as object).sort()).toEqual(['aud', 'exp', 'iat', 'jti', 'lvl', 'net'])
  expect(claims).not.toMatch(/192|example/)
})

test('its size does not depend on the name of the host', async () => {
  const long = await given(1, KEYS, { ...visit, host: `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com` })
  expect(long.pair.length).toBe((await given()).pair.length)
})

test('over http the cookie has no prefix, and neither scheme takes the cookie of the other', async () => {
  const http = { ...visit, isSecure: false }
  const { cookie, pair } = await given(1, KEYS, http)
  expect(cookie).toMatch(/^hv=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/)
  expect([await look(pair, { at: http }), await look(pair)]).toEqual(['valid', 'none'])
})

test.each<[then: string, when: string, how: Partial<Looked>]>([
  ['valid', 'nothing has changed', {}],
  ['valid', 'the address is another one of its /24', { at: { ...visit, address: '192.0.2.99' } }],
  ['elsewhere', 'the network is another', { at: { ...visit, address: '198.51.100.7' } }],
  [
    'valid',
    'the network is another and does not count',
    { at: { ...visit, address: '198.51.100.7' }, gate: { ...policy, bind: 'none' } },
  ],
  ['valid', 'the browser speaks IPv6 now', { at: { ...visit, address: '2001:db8::7' } }],
  ['elsewhere', 'the host is another', { at: { ...visit, host: 'shop.example.com' } }],
  ['low', 'the path needs a press', { level: 2 }],
  ['valid', 'its last second has come', { now: NOW + 3600 }],
  ['expired', 'it is over', { now: NOW + 3606 }],
  ['expired', 'it was given before the moment that counts', { gate: { ...policy, not_before: NOW + 1 } }],
  ['expired', 'it is of the future', { now: NOW - 60 }],
  ['unreadable', 'the key is another', { keys: readKeys(withNewKey())! }],
])('%s when %s', async (then, _when, how) => {
  expect(await look((await given()).pair, how)).toBe(then)
})

test('a clearance with a press opens every level', async () => {
  expect(await look((await given(2)).pair, { level: 2 })).toBe('valid')
})

test.each([
  ['nothing', ''],
  ['a cookie of another name', 'hv-other=x'],
])('%s is no clearance', async (_what, cookie) => {
  expect(await look(cookie)).toBe('none')
})

test.each(['', 'a', 'a.b.c', 'a.'.repeat(2000), 'eyJhbGciOiJub25lIn0.eyJsdmwiOjJ9.'])(
  '%s cannot be read',
  async (text) => {
    expect(await look(`__Host-hv=${text}`)).toBe('unreadable')
  },
)

test('of several cookies the first valid one counts', async () => {
  const { pair } = await given()
  expect(await look(`other=1; __Host-hv=a.b.c; ${pair}`)).toBe('valid')
})

test('a changed letter of the signature is noticed, also after the cookie was seen', async () => {
  const gate = clearances(KEYS, () => NOW)
  const { pair } = await given()
  const at = async (cookie: string) => (await gate.look({ ...visit, headers: { cookie } }, policy, 1)).at
  expect(await at(pair)).toBe('valid')
  const last = pair.at(-2) === 'A' ? 'B' : 'A'
  expect(await at(`${pair.slice(0, -2)}${last}${pair.at(-1)}`)).toBe('unreadable')
})

test.each(['=', '.', '.x', '%3D'])('a clearance with %s behind it is not read', async (more) => {
  expect(await look((await given()).pair + more)).toBe('unreadable')
})

test('a new key signs, and the old one still opens until it is dropped', async () => {
  const first = withNewKey()
  const both = withNewKey(first)
  const { pair } = await given(1, readKeys(first))
  expect(await look(pair, { keys: readKeys(both)! })).toBe('valid')
  expect(await look(pair, { keys: readKeys(withNewKey(withNewKey(both)))! })).toBe('unreadable')
})

test('one clearance is used from at most so many networks', async () => {
  const gate = clearances(KEYS, () => NOW)
  const { pair: cookie } = await given()
  const from = async (network: number) =>
    (await gate.look({ ...visit, address: `10.0.${network}.1`, headers: { cookie } }, { ...policy, bind: 'none' }, 1))
      .at
  const looks = []
  for (const network of [1, 2, 3, 4, 5, 1]) looks.push(await from(network))
  expect(looks).toEqual(['valid', 'valid', 'valid', 'valid', 'shared', 'valid'])
})

test('one clearance is used at most so often, and another one is not touched by that', async () => {
  const gate = clearances(KEYS, () => NOW)
  const [one, other] = [await given(), await given()]
  const rate = new RateLimiterMemory({ points: 3, duration: 60 })
  const use = async ({ pair: cookie }: { pair: string }) =>
    (await gate.look({ ...visit, headers: { cookie } }, { ...policy, rate }, 1)).at
  const looks = []
  for (const each of [one, one, one, one, other]) looks.push(await use(each))
  expect(looks).toEqual(['valid', 'valid', 'valid', 'shared', 'valid'])
})
