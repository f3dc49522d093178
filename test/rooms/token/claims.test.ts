/** Tokens claim by claim, where tokens.test.ts looks at whole ones. */
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import type { ChallengeClaims } from '../../../src/domain/challenge.ts'
import type { ResponseClaims } from '../../../src/domain/response.ts'
import { type Kid, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import type { Tokens } from '../../../src/ports/tokens.ts'
import { type Jwk, type Keyring, keyring, newKey, type SigningKey } from '../../../src/token/keyring.ts'
import { DEFAULT_ISSUER, jwsTokens } from '../../../src/token/tokens.ts'

const NOW = unixSeconds(1_800_000_000)
const SITE = 'hv_site_shop0000' as Sitekey
const keys: readonly Jwk[] = [newKey(NOW), newKey(unixSeconds(NOW - 100))]
let ring: Keyring
let tokens: Tokens
let key: SigningKey
beforeAll(async () => {
  ring = keyring(keys)
  key = ring.activeAt(NOW)
  tokens = jwsTokens({ keyring: ring, issuer: 'i', clock: { now: () => NOW } })
})

const response = {
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  sitekey: SITE,
  hostname: 'shop.example.com',
  action: 'sign-up',
  cdata: 'basket-7',
  generation: 'GGGGGGGGGGGGGGGGGGGGGG',
  challengedAt: NOW,
  issuedAt: NOW,
  expiresAt: NOW + 120,
  keepUntil: NOW + 780,
  sealed: { decision: { model: 1, score: 0.87, contributions: [], weights: '', rule: undefined }, address: undefined },
} as unknown as Omit<ResponseClaims, 'kid'>
const CHALLENGE = {
  iss: 'i',
  aud: SITE,
  iat: NOW,
  exp: NOW + 600,
  jti: response.jti,
  gen: response.generation,
  org: 'https://shop.example.com',
  act: 'sign-up',
  tlt: 120,
  pow: { a: 's32.2', s: 1024, n: 1536, b: 4000 },
}
/** Seals what the service never would, with the right key. */
const forge = (claims: object, typ = 'hv-challenge+jwt'): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ, kid: key.kid }).sign(key.challenge)

test.each(['basket-7', undefined])('cdata %j travels in both tokens', async (cdata) => {
  const opened = tokens.openResponse(tokens.sealResponse({ ...response, cdata }), SITE, NOW)
  expect((opened as ResponseClaims).cdata).toBe(cdata)
  const challenge = tokens.openChallenge(await forge({ ...CHALLENGE, ...(cdata && { cda: cdata }) }), NOW)
  expect((challenge as ChallengeClaims).cdata).toBe(cdata)
})
test.each([undefined, 1])('the browser proof that is owed (%j) travels in the challenge', async (proof) => {
  const forged = tokens.openChallenge(await forge({ ...CHALLENGE, ...(proof && { prf: proof }) }), NOW)
  const { kid: _kid, ...claims } = forged as ChallengeClaims
  expect(claims.proof).toBe(proof)
  const opened = tokens.openChallenge(tokens.sealChallenge(claims), NOW)
  expect((opened as ChallengeClaims).proof).toBe(proof)
})
test('a challenge without an address and a proof has no words for them', async () => {
  const { kid: _kid, ...claims } = tokens.openChallenge(await forge(CHALLENGE), NOW) as ChallengeClaims
  expect(Object.keys(decodeJwt(tokens.sealChallenge(claims))).sort()).toEqual([...Object.keys(CHALLENGE), 'agt'].sort())
})
test('what is issued now is sealed by the key that is active now', () => {
  const [newest, oldest] = ring.all().map(({ kid }) => kid)
  expect(tokens.activeKid(NOW)).toBe(newest)
  expect(tokens.activeKid(unixSeconds(NOW - 1))).toBe(oldest)
})
test('the two kinds of token say in their header which they are', async () => {
  expect(decodeProtectedHeader(tokens.sealResponse(response))).toEqual({
    alg: 'HS256',
    typ: 'hv-response+jwt',
    kid: key.kid,
  })
  const { kid: _kid, ...claims } = tokens.openChallenge(await forge(CHALLENGE), NOW) as ChallengeClaims
  expect(decodeProtectedHeader(tokens.sealChallenge(claims))).toEqual({
    alg: 'HS256',
    typ: 'hv-challenge+jwt',
    kid: key.kid,
  })
})
test('instances without a public_url agree on who they are', () => expect(DEFAULT_ISSUER).toBe('human-verification'))

describe('a challenge token', () => {
  test.each(['', 'x', 'e30.e30.AAAA'])('that is %j is invalid', async (text) => {
    expect(tokens.openChallenge(text, NOW)).toBe('invalid')
  })
  test.each(Object.keys(CHALLENGE))('of ours without %s is invalid', async (claim) => {
    expect(tokens.openChallenge(await forge({ ...CHALLENGE, [claim]: undefined }), NOW)).toBe('invalid')
  })
  test('of ours of another deployment is invalid', async () => {
    expect(tokens.openChallenge(await forge({ ...CHALLENGE, iss: 'other' }), NOW)).toBe('invalid')
  })
  test('of ours that says it is a response is invalid', async () => {
    expect(tokens.openChallenge(await forge(CHALLENGE, 'hv-response+jwt'), NOW)).toBe('invalid')
  })
  test.each([
    [604, 'opens'],
    [605, 'expired'],
  ])('of 600 s after %i s: %s', async (after, gives) => {
    const opened = tokens.openChallenge(await forge(CHALLENGE), unixSeconds(NOW + after))
    expect(typeof opened === 'string' ? opened : 'opens').toBe(gives)
  })
})

test('a defect of ours is not taken for a wrong token', () => {
  // A key that is none: the token is genuine, and it is we who cannot tell.
  const broken: Keyring = { ...ring, byKid: () => ({ ...key, response: undefined as unknown as Buffer }) }
  const text = tokens.sealResponse(response)
  const others = jwsTokens({ keyring: broken, issuer: 'i', clock: { now: () => NOW } })
  expect(() => others.openResponse(text, SITE, NOW)).toThrow(/of undefined \(reading 'length'\)/)
})

describe('an address is marked', () => {
  const address = '203.0.113.7'
  const keyed = (kid: Kid, text: string): Buffer => createHmac('sha256', ring.byKid(kid)!.address).update(text).digest()
  const expected = (kid: Kid): string =>
    Buffer.concat(
      [
        keyed(kid, 'around 203.0.113.0/24').subarray(0, 6),
        keyed(kid, `subnet ${address}`).subarray(0, 3),
        keyed(kid, address),
      ],
      16,
    ).toString('base64url')
  test('with the active key, or with the one that is named', () => {
    const [newest, oldest] = ring.all().map(({ kid }) => kid) as [Kid, Kid]
    expect(tokens.markAddress(address)!.hash).toBe(expected(newest))
    expect(tokens.markAddress(address, newest)!.hash).toBe(expected(newest))
    expect(tokens.markAddress(address, oldest)!.hash).toBe(expected(oldest))
  })
  test('not at all with a key that is gone', () => expect(tokens.markAddress(address, 'gone' as Kid)).toBeUndefined())
})

describe('behaviour', () => {
  test('is hashed under eight secret numbers of each site', () => {
    const seed = tokens.behaviourSeed('hv_site_one' as Sitekey, key.kid)
    const keyed = createHmac('sha256', key.behaviour).update('hv_site_one').digest()
    expect([...seed]).toEqual(Array.from({ length: 8 }, (_, i) => keyed.readInt32LE(4 * i)))
    expect(tokens.behaviourSeed('hv_site_two' as Sitekey, key.kid)).not.toEqual(seed)
  })
  test('cannot be hashed with a key that is gone', () => {
    expect(() => tokens.behaviourSeed('hv_site_one' as Sitekey, 'gone' as Kid)).toThrow(
      new RangeError('behaviourSeed wants the kid of an opened token'),
    )
  })
})

describe('the positions to check', () => {
  test('come from a key that only the service has', () => {
    const derived = createHmac('sha256', key.positions).update('j.body').digest()
    expect(tokens.derive('positions', 'j.body', key.kid)).toEqual(derived)
  })
  test('cannot be asked for with a key that is gone', () => {
    expect(() => tokens.derive('positions', 'x', 'gone' as Kid)).toThrow(
      new RangeError('derive wants the kid of an opened token'),
    )
  })
})
