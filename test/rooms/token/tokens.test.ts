import { createCipheriv, createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { SignJWT } from 'jose'
import type { ChallengeClaims } from '../../../src/domain/challenge.ts'
import type { ResponseClaims } from '../../../src/domain/response.ts'
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import type { Tokens } from '../../../src/ports/tokens.ts'
import { type SigningKey, type Keyring, keyring, newKey } from '../../../src/token/keyring.ts'
import { signJws } from '../../../src/token/jws.ts'
import { jwsTokens, LONGEST_RESPONSE } from '../../../src/token/tokens.ts'

const NOW = unixSeconds(1_800_000_000)
const clock = { now: () => NOW }
const SITE = 'hv_site_shop0000' as Sitekey
let ring: Keyring
let tokens: Tokens
let key: SigningKey

beforeAll(async () => {
  ring = keyring([newKey(NOW)])
  key = ring.activeAt(NOW)
  tokens = jwsTokens({ keyring: ring, issuer: 'https://verify.example.com', clock })
})

const challengeClaims = {
  address: { family: 4, scope: 'public', hash: 'T4b8lIdDeJD0zcmQ9YTxEg' },
  agent: 'chromium Linux 156',
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  sitekey: SITE,
  origin: 'https://shop.example.com:8443',
  hostname: 'shop.example.com',
  action: 'sign-up',
  cdata: 'basket-7',
  generation: 'GGGGGGGGGGGGGGGGGGGGGG',
  issuedAt: NOW,
  expiresAt: NOW + 600,
  tokenLifetime: 120,
  pow: { a: 's32.2', s: 1024, n: 18_432, b: 4000 },
} as unknown as Omit<ChallengeClaims, 'kid'>

const responseClaims = {
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  sitekey: SITE,
  hostname: 'shop.example.com',
  action: 'sign-up',
  cdata: undefined,
  generation: 'GGGGGGGGGGGGGGGGGGGGGG',
  challengedAt: NOW,
  issuedAt: NOW,
  expiresAt: NOW + 120,
  keepUntil: NOW + 780,
  sealed: {
    decision: {
      model: 1,
      score: 0.87,
      contributions: [
        { id: 10, value: 1.2 },
        { id: 40, value: -4 },
      ],
      weights: '',
      rule: undefined,
    },
    address: { family: 4, scope: 'public', hash: 'AAAAAAAAAAAAAAAAAAAAAA' },
  },
} as unknown as Omit<ResponseClaims, 'kid'>

/** Seals what the service never would, with the right key. */
function forge(header: Record<string, unknown>, change: Record<string, unknown> = {}): Promise<string> {
  const claims: Record<string, unknown> = {
    iss: 'https://verify.example.com',
    aud: SITE,
    iat: NOW,
    exp: NOW + 120,
    jti: responseClaims.jti,
    gen: responseClaims.generation,
    hst: 'shop.example.com',
    act: 'sign-up',
    cts: NOW,
    kee: NOW + 780,
    slc: 'AAAA',
    ...change,
  }
  for (const name of Object.keys(claims)) if (claims[name] === undefined) delete claims[name]
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header } as never).sign(key.response)
}

test('a challenge token opens to what was sealed', async () => {
  const token = tokens.sealChallenge(challengeClaims)
  expect(tokens.openChallenge(token, NOW)).toEqual({ ...challengeClaims, kid: key.kid })
})

test('a response token opens to what was sealed', async () => {
  const token = tokens.sealResponse(responseClaims)
  expect(tokens.openResponse(token, SITE, NOW)).toEqual({ ...responseClaims, kid: key.kid })
})

test('neither the score nor the address can be read in a response token', async () => {
  const parts = tokens.sealResponse(responseClaims).split('.')
  const payload = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as Record<string, unknown>
  expect(Object.keys(payload).sort()).toEqual([
    'act',
    'aud',
    'cts',
    'exp',
    'gen',
    'hst',
    'iat',
    'iss',
    'jti',
    'kee',
    'slc',
  ])
})

// docs/design/threats.md#t6: the length is an oracle too.
test('a response token is equally long for every score and every number of contributions', async () => {
  const lengths = new Set<number>()
  for (let score = 0; score <= 1; score += 0.01) {
    const contributions = Array.from({ length: Math.round(score * 37) }, (_, id) => ({ id, value: -id / 7 }))
    const sealed = {
      decision: { model: 1, score: Math.round(score * 100) / 100, contributions, weights: '', rule: undefined },
      address: undefined,
    }
    lengths.add(tokens.sealResponse({ ...responseClaims, sealed }).length)
  }
  expect(lengths.size).toBe(1)
})

// docs/design/contract.md, "Tokens": everything at its longest.
test('a response token has at most 2,048 characters', async () => {
  const longest = keyring([{ ...newKey(NOW), kid: 'k'.repeat(12) }])
  const long = jwsTokens({ keyring: longest, issuer: `https://${'v'.repeat(92)}`, clock })
  const token = long.sealResponse({
    ...responseClaims,
    sitekey: `hv_site_${'x'.repeat(64)}` as Sitekey,
    hostname: 'h'.repeat(253) as never,
    action: 'a'.repeat(64) as never,
    // 510 bytes in the token, a quote takes two: what requests.ts lets through at the most.
    cdata: `${'€'.repeat(128)}${'"'.repeat(63)}`,
  })
  expect(token.length).toBeLessThanOrEqual(LONGEST_RESPONSE)
})

test.each([
  { then: 'opens', at: 119 },
  { then: 'opens', at: 124 },
  { then: 'expired', at: 125 },
  { then: 'expired', at: 90_000 },
])('a response token of 120 seconds $then after $at', async ({ then, at }) => {
  const opened = tokens.openResponse(tokens.sealResponse(responseClaims), SITE, unixSeconds(NOW + at))
  expect(typeof opened === 'string' ? opened : 'opens').toBe(then)
})

describe('is not ours', () => {
  const isInvalid = async (token: string) => expect(tokens.openResponse(token, SITE, NOW)).toBe('invalid')

  test("another site's token", async () => {
    const token = tokens.sealResponse(responseClaims)
    expect(tokens.openResponse(token, 'hv_site_other000' as Sitekey, NOW)).toBe('invalid')
  })

  test('a token of another deployment, and one of another key with the same kid', async () => {
    const other = jwsTokens({ keyring: ring, issuer: 'https://other.example.com', clock })
    await isInvalid(other.sealResponse(responseClaims))
    const stranger = keyring([{ ...newKey(NOW), kid: key.kid }])
    await isInvalid(
      jwsTokens({ keyring: stranger, issuer: 'https://verify.example.com', clock }).sealResponse(responseClaims),
    )
  })

  test('a challenge used as a response, and the other way round', async () => {
    await isInvalid(tokens.sealChallenge(challengeClaims))
    expect(tokens.openChallenge(tokens.sealResponse(responseClaims), NOW)).toBe('invalid')
  })

  test('a token with any single bit changed', async () => {
    const token = tokens.sealResponse(responseClaims)
    const bytes = Buffer.from(token)
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        bytes[at]! ^= bit
        await isInvalid(bytes.toString('latin1'))
        bytes[at]! ^= bit
      }
    }
    expect(tokens.openResponse(bytes.toString(), SITE, NOW)).toHaveProperty('jti')
  })

  test('a token in any other spelling', async () => {
    const token = tokens.sealResponse(responseClaims)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const variants = [...alphabet].map((c) => token.slice(0, -1) + c).filter((variant) => variant !== token)
    variants.push(
      `${token} `,
      ` ${token}`,
      `${token}=`,
      `${token}\n`,
      token.replace('.', ' .'),
      `${token}.`,
      token.replaceAll('-', '+'),
    )
    for (const variant of variants.filter((each) => each !== token)) await isInvalid(variant)
  })

  test.each([
    { what: 'nothing', token: '' },
    { what: 'rubbish', token: 'x' },
    { what: 'two parts', token: 'e30.e30' },
    { what: 'four parts', token: 'e30.e30.e30.e30' },
    { what: 'five parts, a JWE', token: 'e30.e30.e30.e30.e30' },
    { what: 'a header that is not JSON', token: 'AAAA.e30.AAAA' },
    { what: 'a header that is null', token: `${Buffer.from('null').toString('base64url')}.e30.AAAA` },
    { what: 'a megabyte', token: 'A'.repeat(1_000_000) },
  ])('$what', ({ token }) => isInvalid(token))

  const unsigned = (header: object) =>
    `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from(JSON.stringify({ aud: SITE })).toString('base64url')}.`

  // docs/design/threats.md#t12: the algorithm is never the token's choice.
  test.each(['none', 'None', 'HS512', 'RS256', 'dir'])('a token that names the algorithm %s', async (alg) => {
    await isInvalid(`${unsigned({ alg, typ: 'hv-response+jwt', kid: key.kid })}AAAA`)
    const head = Buffer.from(JSON.stringify({ alg, typ: 'hv-response+jwt', kid: key.kid })).toString('base64url')
    const body = Buffer.from('{}').toString('base64url')
    const mac = createHmac('sha256', key.kid).update(`${head}.${body}`).digest('base64url')
    await isInvalid(`${head}.${body}.${mac}`)
  })

  test.each([
    { what: 'no kid', header: { typ: 'hv-response+jwt' } },
    { what: 'an unknown kid', header: { typ: 'hv-response+jwt', kid: 'nobody' } },
    { what: 'the kid of a prototype', header: { typ: 'hv-response+jwt', kid: '__proto__' } },
    { what: 'no type', header: {} },
    { what: 'another type', header: { typ: 'JWT' } },
    { what: 'a type in another case', header: { typ: 'HV-RESPONSE+JWT' } },
    { what: 'jwk', header: { typ: 'hv-response+jwt', jwk: { kty: 'oct', k: 'AAAA' } } },
    { what: 'jku', header: { typ: 'hv-response+jwt', jku: 'https://evil.example/keys' } },
    { what: 'x5u', header: { typ: 'hv-response+jwt', x5u: 'https://evil.example/cert' } },
    { what: 'an unencoded payload', header: { typ: 'hv-response+jwt', b64: true } },
    { what: 'compression', header: { typ: 'hv-response+jwt', zip: 'DEF' } },
  ])('a token of ours whose header has $what', async ({ what, header }) => {
    const kid = what === 'no kid' ? {} : { kid: key.kid }
    await isInvalid(await forge({ ...kid, ...header }))
  })

  test.each(['iss', 'aud', 'iat', 'exp', 'jti', 'gen', 'hst', 'act', 'cts', 'kee', 'slc'])(
    'a token of ours without %s',
    async (claim) => {
      await isInvalid(await forge({ typ: 'hv-response+jwt', kid: key.kid }, { [claim]: undefined }))
    },
  )
})

describe('claims that only we could have signed, and never would, are invalid', () => {
  // Before, they were answered 500 or 503, and kept entries of the ledger for ever.
  test.each<Record<string, unknown>>([
    { exp: 9e15 },
    { exp: NOW + 0.5 },
    { exp: String(NOW + 120) },
    { iat: -1 },
    { iat: null },
    { cts: 'yesterday' },
    { cts: 9e15 },
    { kee: 9e15 },
    { kee: 'for ever' },
    { kee: NOW + 119 },
    { kee: NOW + 120 + 86_401 },
    { jti: 'short' },
    { jti: ['AAAAAAAAAAAAAAAAAAAAAA'] },
    { gen: 7 },
    { gen: 'a generation' },
    { gen: 'G'.repeat(65) },
    { act: ['sign-up'] },
    { hst: 7 },
    { cda: { basket: 7 } },
    { slc: 7 },
  ])('%j in a response', async (change) => {
    const [, payload] = tokens.sealResponse(responseClaims).split('.')
    const { slc } = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { slc: string }
    const header = { typ: 'hv-response+jwt', kid: key.kid }
    expect(tokens.openResponse(await forge(header, { slc }), SITE, NOW)).not.toBe('invalid')
    expect(tokens.openResponse(await forge(header, { slc, ...change }), SITE, NOW)).toBe('invalid')
  })

  test.each<Record<string, unknown>>([
    { org: 'shop' },
    { org: 7 },
    { tlt: 0 },
    { tlt: 1e9 },
    { tlt: '120' },
    { sus: 'much' },
    { sus: -0.1 },
    { sus: 1.1 },
    { pow: null },
    { pow: 's32.2' },
    { pow: { ...challengeClaims.pow, a: 'md5' } },
    { pow: { ...challengeClaims.pow, n: 1.5 } },
    { pow: { ...challengeClaims.pow, s: -1 } },
    { pow: { ...challengeClaims.pow, b: 'late' } },
    { exp: 9e15 },
    { jti: '' },
  ])('%j in a challenge', (change) => {
    const [header, payload] = tokens.sealChallenge(challengeClaims).split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>
    const { typ, kid } = JSON.parse(Buffer.from(header!, 'base64url').toString()) as { typ: string; kid: string }
    const made = (of: Record<string, unknown>) => signJws({ typ, kid }, of, key.challenge)
    expect(tokens.openChallenge(made(claims), NOW)).not.toBe('invalid')
    expect(tokens.openChallenge(made({ ...claims, ...change }), NOW)).toBe('invalid')
  })

  test.each([
    ['a score above 1', (bytes: Buffer) => (bytes[3] = 101)],
    ['more contributions than fit', (bytes: Buffer) => (bytes[32] = 255)],
  ])('%s in the sealed part', async (_what, change) => {
    const bound = `${key.kid}.${responseClaims.jti}`
    const text = Buffer.alloc(165)
    text[0] = 2
    const sealed = () => {
      const iv = Buffer.alloc(12, 1)
      const cipher = createCipheriv('aes-256-gcm', key.seal, iv).setAAD(Buffer.from(bound))
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    }
    const header = { typ: 'hv-response+jwt', kid: key.kid }
    expect(tokens.openResponse(await forge(header, { slc: sealed() }), SITE, NOW)).not.toBe('invalid')
    change(text)
    expect(tokens.openResponse(await forge(header, { slc: sealed() }), SITE, NOW)).toBe('invalid')
  })

  test('a member of the header that is there twice', () => {
    const [, payload] = tokens.sealResponse(responseClaims).split('.')
    const head = Buffer.from(`{"alg":"none","alg":"HS256","typ":"hv-response+jwt","kid":"${key.kid}"}`).toString(
      'base64url',
    )
    const mac = createHmac('sha256', key.response).update(`${head}.${payload}`).digest('base64url')
    expect(tokens.openResponse(`${head}.${payload}.${mac}`, SITE, NOW)).toBe('invalid')
  })
})

test('sealed claims of one token do not open in another', async () => {
  const [, payload] = tokens.sealResponse(responseClaims).split('.')
  const { slc } = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { slc: string }
  const other = await forge({ typ: 'hv-response+jwt', kid: key.kid }, { slc, jti: 'BBBBBBBBBBBBBBBBBBBBBB' })
  expect(tokens.openResponse(other, SITE, NOW)).toBe('invalid')
})

describe('with two keys', () => {
  test('the newest that is active seals, every one opens, and a retired one does not', async () => {
    const old = newKey(NOW)
    const next = newKey(unixSeconds(NOW + 60))
    const both = jwsTokens({ keyring: keyring([next, old]), issuer: 'i', clock })
    const now = both.sealResponse(responseClaims)
    const soon = both.sealResponse({ ...responseClaims, issuedAt: unixSeconds(NOW + 60) })
    expect(both.openResponse(now, SITE, NOW) as ResponseClaims).toMatchObject({ kid: old.kid })
    expect(both.openResponse(soon, SITE, NOW) as ResponseClaims).toMatchObject({ kid: next.kid })
    const retired = jwsTokens({ keyring: keyring([next]), issuer: 'i', clock })
    expect(retired.openResponse(now, SITE, NOW)).toBe('invalid')
  })
})

test('an address is marked, not kept, and marks compare under one key only', async () => {
  const other = jwsTokens({ keyring: keyring([newKey(NOW)]), issuer: 'i', clock })
  const mark = tokens.markAddress('203.0.113.7')
  expect(mark).toEqual({ family: 4, scope: 'public', hash: expect.stringMatching(/^[\w-]{22}$/) })
  expect(tokens.markAddress('::ffff:203.0.113.7')).toEqual(mark)
  expect(tokens.markAddress('203.0.113.8')).not.toEqual(mark)
  expect(other.markAddress('203.0.113.7')).not.toEqual(mark)
  expect(tokens.markAddress('nobody')).toBeUndefined()
})

test('what forgets the addresses comes a minute after the first of them, and keeps no process alive', () => {
  const own = jwsTokens({ keyring: keyring([newKey(NOW)]), issuer: 'i', clock })
  const setTimer = globalThis.setTimeout
  const timers: { readonly forget: () => void; readonly ms: number; readonly timer: NodeJS.Timeout }[] = []
  const watched = (forget: () => void, ms: number): NodeJS.Timeout => {
    const timer = setTimer(forget, ms)
    timers.push({ forget, ms, timer })
    return timer
  }
  globalThis.setTimeout = watched as typeof setTimeout
  try {
    for (const address of ['203.0.113.7', '203.0.113.8', '203.0.113.7']) own.markAddress(address)
    expect(timers.map(({ ms, timer }) => [ms, timer.hasRef()])).toEqual([[60_000, false]])
    timers[0]!.forget()
    own.markAddress('203.0.113.7')
    expect(timers.map(({ ms }) => ms)).toEqual([60_000, 60_000])
  } finally {
    globalThis.setTimeout = setTimer
    for (const { timer } of timers) clearTimeout(timer)
  }
})
