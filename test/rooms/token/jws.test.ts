/** Our JWS against jose's: each opens what the other signs, and refuses what the other refuses. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compactVerify, errors, jwtVerify, SignJWT } from 'jose'
import { openJws, readJws, signJws } from '../../../src/token/jws.ts'

const key = randomBytes(32)
const KIND = { typ: 'hv-response+jwt', kid: 'k1' }
const claims = fc.dictionary(
  fc.string(),
  fc.jsonValue().filter((value) => !JSON.stringify(value).includes('-0')),
  { maxKeys: 6, noNullPrototype: true },
)

const ours = (token: string, by = key): unknown => {
  const read = readJws(token, 100_000)
  return read && openJws(read, by)
}
/** What jose says of a token: its claims, or nothing. */
async function jose(token: string): Promise<unknown> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: ['HS256'] })
    return JSON.parse(Buffer.from(payload).toString('utf8'))
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

test('jose opens what we sign', () =>
  fc.assert(
    fc.asyncProperty(claims, async (told) => {
      const token = signJws(KIND, told, key)
      expect(await jose(token)).toEqual(JSON.parse(JSON.stringify(told)))
      expect(ours(token)).toEqual(JSON.parse(JSON.stringify(told)))
    }),
  ))

test('we open what jose signs', () =>
  fc.assert(
    fc.asyncProperty(claims, async (told) => {
      const token = await new SignJWT(told).setProtectedHeader({ alg: 'HS256', ...KIND }).sign(key)
      expect(ours(token)).toEqual(
        (await jwtVerify(token, key, { currentDate: new Date(0) }).catch(() => ({ payload: ours(token) }))).payload,
      )
      expect(ours(token)).toBeDefined()
    }),
  ))

describe('a token in which anything was changed', () => {
  const token = signJws(KIND, { jti: 'AAAAAAAAAAAAAAAAAAAAAA', aud: 'ü' }, key)

  test.each(Array.from({ length: token.length }, (_, at) => at))('at %i is refused', async (at) => {
    for (const other of ['A', 'B', '_', '.', '=', ' ', 'é', '']) {
      if (token[at] === other) continue
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      expect([changed, ours(changed)]).toEqual([changed, undefined])
      // The last character has bits that mean nothing: another spelling of the same token, which only we refuse.
      const says = at < token.length - 1 ? await jose(changed) : undefined
      expect([changed, says]).toEqual([changed, undefined])
    }
  })

  test('or left out, added or exchanged, is refused', () => {
    const [header, payload, mac] = token.split('.') as [string, string, string]
    const other = signJws(KIND, { jti: 'B' }, key).split('.') as [string, string, string]
    const macOf = (bytes: number) => Buffer.concat([Buffer.from(mac, 'base64url')], bytes).toString('base64url')
    const spoilt = [
      ...[15, 31, 33, 64].map((bytes) => `${header}.${payload}.${macOf(bytes)}`),
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${mac}.`,
      `${header}.${payload}.${mac}${mac}`,
      `${header}.${payload}.${mac.slice(0, 22)}`,
      `${header}.${other[1]}.${mac}`,
      `${header}.${payload}.${other[2]}`,
      '',
      '..',
    ]
    expect(spoilt.map((each) => ours(each))).toEqual(spoilt.map(() => undefined))
  })
})

test('another key opens nothing, not even one that begins alike', () => {
  const token = signJws(KIND, { a: 1 }, key)
  expect(ours(token, randomBytes(32))).toBeUndefined()
  // HMAC fills up a short key with zeros: one byte less would be the same key where that byte is 0.
  expect(ours(token, key.subarray(0, 16))).toBeUndefined()
})

test.each(['none', 'HS384', 'HS512', 'RS256', 'hs256', ''])(
  'a header that says %j is refused, whatever the signature',
  async (alg) => {
    const header = Buffer.from(JSON.stringify({ alg, ...KIND })).toString('base64url')
    const [, payload, mac] = signJws(KIND, { a: 1 }, key).split('.')
    expect(readJws(`${header}.${payload}.${mac}`, 2048)).toBeUndefined()
  },
)

test('longer than allowed is not even read', () => {
  const token = signJws(KIND, { a: 1 }, key)
  expect(readJws(token, token.length)).toBeDefined()
  expect(readJws(token, token.length - 1)).toBeUndefined()
})
