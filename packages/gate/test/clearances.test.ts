import { expect, test } from '@jest/globals'
import { decodeJwt, SignJWT } from 'jose'
import { Clearances, type Level, type Policy } from '../src/clearances.ts'
import { readKeys, withNewKey } from '../src/keys.ts'
import type { Visit } from '../src/visit.ts'

const NOW = 1_800_000_000
const KEYS = readKeys(withNewKey())!
const rate = { points: 600, duration: 60 }
const policy: Policy = { lifetime: 3600, bind: 'network', networks: 4, rate }
const visit = {
  host: 'www.example.com',
  isSecure: true,
  address: '192.0.2.7',
  headers: {},
} as Visit

async function given(level: Level = 1, keys = KEYS, at = visit) {
  const { cookie, id } = await new Clearances(keys, policy, () => NOW).issue(at, level)
  return { cookie, id, pair: cookie.split(';')[0]! }
}
type Looked = Partial<{ at: Visit; gate: Policy; level: Level; keys: typeof KEYS; now: number }>
/** Looks at a cookie, in a gate of its own unless one is given. */
async function look(cookie: string, change: Looked = {}, own?: Clearances) {
  const { at = visit, gate = policy, level = 1, keys = KEYS, now = NOW } = change
  const clearances = own ?? new Clearances(keys, gate, () => now)
  return (await clearances.look({ ...at, headers: { cookie } }, level)).at
}

test('the cookie is of this host alone, out of reach of scripts, small, and says nothing about a person', async () => {
  const { cookie, pair, id } = await given()
  expect(cookie).toMatch(
    /^__Host-hv=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=None; Secure$/,
  )
  expect(pair.length).toBeLessThanOrEqual(350)
  expect(id).toMatch(/^[\w-]{22}$/)
  const claims = Buffer.from(pair.split('.')[1]!, 'base64url').toString()
  expect(Object.keys(JSON.parse(claims) as object).sort()).toEqual([
    'aud',
    'exp',
    'iat',
    'iss',
    'jti',
    'lvl',
    'net',
  ])
  expect(claims).not.toMatch(/192|example/)
  const long = await given(1, KEYS, { ...visit, host: `${'a'.repeat(60)}.example.com` })
  expect(long.pair.length).toBe(pair.length)
})

test('over http the cookie has no prefix, and neither scheme takes the cookie of the other', async () => {
  const http = { ...visit, isSecure: false }
  const { cookie, pair } = await given(1, KEYS, http)
  expect(cookie).toMatch(/^hv=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/)
  expect([await look(pair, { at: http }), await look(pair)]).toEqual(['valid', 'none'])
})

const elsewhere = { ...visit, address: '198.51.100.7' }
test.each<[then: string, when: string, how: Looked, given?: Level]>([
  ['valid', 'nothing has changed', {}],
  ['valid', 'the address is another one of its /24', { at: { ...visit, address: '192.0.2.99' } }],
  ['elsewhere', 'the network is another', { at: elsewhere }],
  [
    'valid',
    'the network is another and does not count',
    { at: elsewhere, gate: { ...policy, bind: 'none' } },
  ],
  ['valid', 'the browser speaks IPv6 now', { at: { ...visit, address: '2001:db8::7' } }],
  ['elsewhere', 'the host is another', { at: { ...visit, host: 'shop.example.com' } }],
  ['low', 'the path needs a press', { level: 2 }],
  ['valid', 'its last second has come', { now: NOW + 3600 }],
  ['expired', 'it is over', { now: NOW + 3606 }],
  [
    'expired',
    'it was given before the moment that counts',
    { gate: { ...policy, not_before: NOW + 1 } },
  ],
  ['expired', 'it is of the future', { now: NOW - 60 }],
  ['unreadable', 'the key is another', { keys: readKeys(withNewKey())! }],
  ['valid', 'it was given for a press, which the path needs', { level: 2 }, 2],
])('%s when %s', async (then, _when, how, ...level) => {
  expect(await look((await given(...level)).pair, how)).toBe(then)
})

const JUNK = ['', 'a', 'a.b.c', 'a.'.repeat(2000), 'eyJhbGciOiJub25lIn0.eyJsdmwiOjJ9.']
const UNREADABLE = JUNK.map((text) => ['unreadable', `__Host-hv=${text}`] as const)
test.each([['none', ''], ['none', 'hv-other=x'], ...UNREADABLE] as const)(
  '%s: %s',
  async (then, cookie) => {
    expect(await look(cookie)).toBe(then)
  },
)

test('of several cookies the first valid one counts', async () => {
  expect(await look(`other=1; __Host-hv=a.b.c; ${(await given()).pair}`)).toBe('valid')
})

test.each([
  ['before it', 1],
  ['before it, as many as are opened beside it', 2],
])('forged cookies %s do not hide a clearance', async (_what, count) => {
  const forged = Array.from({ length: count }, () => '__Host-hv=a.b.c; ').join('')
  expect(await look(forged + (await given()).pair)).toBe('valid')
})

test('a clearance that was opened before is found behind any number of forged ones', async () => {
  const gate = new Clearances(KEYS, policy, () => NOW)
  const { cookie } = await gate.issue(visit, 1)
  const forged = Array.from({ length: 200 }, (_, i) => `__Host-hv=a.b.${i}; `).join('')
  expect(await look(forged + cookie.split(';')[0]!, {}, gate)).toBe('valid')
})

test('the reason that is told is that of a clearance of ours, not of a forged one', async () => {
  const at = { ...visit, address: '198.51.100.7' }
  expect(await look(`${(await given()).pair}; __Host-hv=a.b.c`, { at })).toBe('elsewhere')
})

test('a changed letter, or more letters, are noticed, also after the cookie was seen', async () => {
  const gate = new Clearances(KEYS, policy, () => NOW)
  const { pair } = await given()
  expect(await look(pair, {}, gate)).toBe('valid')
  const other = pair.at(-2) === 'A' ? 'B' : 'A'
  const forged = `${pair.slice(0, -2)}${other}${pair.at(-1)}`
  for (const changed of [forged, ...['=', '.', '.x', '%3D'].map((more) => pair + more)])
    expect(await look(changed, {}, gate)).toBe('unreadable')
})

test('a new key signs, and the old one still opens until it is dropped', async () => {
  const first = withNewKey()
  const both = withNewKey(first)
  const { pair } = await given(1, readKeys(first))
  expect(await look(pair, { keys: readKeys(both)! })).toBe('valid')
  expect(await look(pair, { keys: readKeys(withNewKey(withNewKey(both)))! })).toBe('unreadable')
})

test('one clearance is used from at most so many networks', async () => {
  const gate = new Clearances(KEYS, { ...policy, bind: 'none' }, () => NOW)
  const { pair } = await given()
  const looks = []
  for (const network of [1, 2, 3, 4, 5, 1])
    looks.push(await look(pair, { at: { ...visit, address: `10.0.${network}.1` } }, gate))
  expect(looks).toEqual(['valid', 'valid', 'valid', 'valid', 'shared', 'valid'])
})

test('one clearance is used so often and no more, and again later; another one is not touched by that', async () => {
  const few = { ...policy, rate: { points: 3, duration: 2 } }
  const gate = new Clearances(KEYS, few, () => NOW)
  const [one, other] = [(await given()).pair, (await given()).pair]
  const at = (pair: string) => look(pair, {}, gate)
  for (let i = 0; i < 3; i++) expect(await at(one)).toBe('valid')
  expect([await at(one), await at(other)]).toEqual(['rate', 'valid'])
  while ((await at(one)) === 'rate') await new Promise((turn) => setImmediate(turn))
  await Promise.all(Array.from({ length: 5 }, () => at(one)))
  expect(await at(one)).toBe('rate')
})

/** A token of the gate's own key, as it signs them but for what is changed. */
async function signedWith(change: object, header: object = {}, key = KEYS[0]!) {
  const { pair } = await given()
  const claims = decodeJwt(pair.replace('__Host-hv=', ''))
  const sign = new SignJWT({ ...claims, ...change })
  sign.setProtectedHeader({ alg: 'HS256', typ: 'clearance+jwt', kid: key.id, ...header })
  return `__Host-hv=${await sign.sign(await key.hs256)}`
}

test.each<[then: string, what: string, change: object, header?: object]>([
  ['valid', 'nothing', {}],
  ['unreadable', 'another type', {}, { typ: 'JWT' }],
  ['unreadable', 'no type', {}, { typ: undefined }],
  ['unreadable', 'a key id of nobody', {}, { kid: 'nobody' }],
  ['unreadable', 'no key id', {}, { kid: undefined }],
  ['unreadable', 'another issuer', { iss: 'somebody' }],
  ['elsewhere', 'another audience', { aud: 'somewhere' }],
  ['expired', 'an age beyond the lifetime', { iat: NOW - 3606, exp: NOW + 100 }],
  ['expired', 'a time of the future', { iat: NOW + 6 }],
  ['expired', 'an end that is past', { exp: NOW - 6 }],
])('%s, although our key signed it, with %s', async (then, _what, ...change) => {
  expect(await look(await signedWith(...change))).toBe(then)
})

test('a longer cookie than a clearance is not opened', async () => {
  expect(await look(await signedWith({ more: 'x'.repeat(400) }))).toBe('unreadable')
})

test('a clearance that was opened ends with its last second, too', async () => {
  let now = NOW
  const gate = new Clearances(KEYS, policy, () => now)
  const { pair } = await given()
  expect(await look(pair, {}, gate)).toBe('valid')
  now += 3606
  expect(await look(pair, {}, gate)).toBe('expired')
})
