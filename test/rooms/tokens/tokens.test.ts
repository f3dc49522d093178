/** Tokens: what opens is what was signed, and nothing else opens. docs/design/threats.md#t12 to #t14 */
import { createHmac, webcrypto } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { type AddressHash, distanceOf, subnetOf } from '../../../src/domain/address-hash.ts'
import type { ChallengeClaims } from '../../../src/claims/challenge.ts'
import type { ResponseClaims, SealedClaims } from '../../../src/claims/response.ts'
import type { TicketClaims } from '../../../src/claims/ticket.ts'
import { type Kid, type Sitekey, type UnixSeconds, unixSeconds } from '../../../src/domain/words.ts'
import type { Tokens, Unopened } from '../../../src/claims/tokens.ts'
import { keyring, newKey, type SigningKey } from '../../../src/tokens/keyring.ts'
import { jwtTokens } from '../../../src/tokens/jwt-tokens.ts'

const NOW = unixSeconds(1_800_000_000)
const ISSUER = 'https://verify.example.com'
const SITE = 'hv_site_shop0000' as Sitekey
const JTI = 'AAAAAAAAAAAAAAAAAAAAAA'
const ring = keyring([newKey(NOW)])
const key: SigningKey = ring.activeAt(NOW)
const of = (issuer = ISSUER, keys = ring): Tokens =>
  jwtTokens({ keyring: keys, issuer, clock: { now: () => NOW } })
const tokens = of()

const hash = '4gT4b8lIdDeJD0zcmQ9YTxEg' as AddressHash
const common = {
  jti: JTI,
  sitekey: SITE,
  action: 'sign-up',
  generation: 'GGGGGGGGGGGGGGGGGGGGGG',
  issuedAt: NOW,
}
const sealed = {
  decision: { score: 0.87, contributions: [{ id: 40, value: -4.25 }], rule: undefined },
  address: hash,
  namedAgent: 'shop-helper',
}
const kept = { hostname: 'shop.example.com', keepUntil: NOW + 1380, sealed }
const challengeClaims = {
  ...common,
  expiresAt: NOW + 600,
  origin: 'https://shop.example.com:8443',
  hostname: 'shop.example.com',
  cdata: 'basket-7',
  tokenLifetime: 120,
  pow: { a: 's32.1', s: 1024, n: 18_432, b: 4000 },
  address: hash,
  proof: 1,
  step: 'BBBBBBBBBBBBBBBBBBBBBB',
  namedAgent: 'shop-helper',
} as unknown as Omit<ChallengeClaims, 'kid'>
const responseClaims = {
  ...common,
  ...kept,
  expiresAt: NOW + 120,
  challengedAt: NOW - 9,
  cdata: 'basket-7',
} as unknown as Omit<ResponseClaims, 'kid'>
const ticketClaims = { ...common, ...kept, expiresAt: NOW + 600 } as unknown as Omit<
  TicketClaims,
  'kid'
>

type Opened = ChallengeClaims | ResponseClaims | TicketClaims | Unopened
interface Kind {
  readonly kind: 'challenge' | 'response' | 'ticket'
  readonly claims: object
  readonly sign: (with_?: Tokens, change?: object) => Promise<string>
  readonly open: (token: string, at?: UnixSeconds, with_?: Tokens) => Promise<Opened>
}
const KINDS: readonly Kind[] = [
  {
    kind: 'challenge',
    claims: challengeClaims,
    sign: (by = tokens, change = {}) => by.signChallenge({ ...challengeClaims, ...change }),
    open: (token, at = NOW, by = tokens) => by.openChallenge(token, at),
  },
  {
    kind: 'response',
    claims: responseClaims,
    sign: (by = tokens, change = {}) => by.signResponse({ ...responseClaims, ...change }),
    open: (token, at = NOW, by = tokens) => by.openResponse(token, SITE, at),
  },
  {
    kind: 'ticket',
    claims: ticketClaims,
    sign: (by = tokens, change = {}) => by.signTicket({ ...ticketClaims, ...change }),
    open: (token, at = NOW, by = tokens) => by.openTicket(token, SITE, at),
  },
]
const [challenge, response, ticket] = KINDS as [Kind, Kind, Kind]

/** Signs, with the right key, what the service never would. */
async function forge(
  { kind, sign }: Kind,
  change: Record<string, unknown>,
  header: object = {},
): Promise<string> {
  const genuine = await sign()
  const claims = JSON.parse(JSON.stringify({ ...decodeJwt(genuine), ...change })) as object
  return new SignJWT(claims as never)
    .setProtectedHeader({ ...decodeProtectedHeader(genuine), ...header } as never)
    .sign(await key.hs256(kind))
}

const odd = (name: string, ...values: unknown[]) => values.map((value) => ({ [name]: value }))

describe.each(KINDS)('a $kind token', (self) => {
  const { kind, claims, sign, open } = self
  let genuine: string
  beforeAll(async () => {
    genuine = await sign()
  })

  test('opens to what was signed', async () => {
    expect(await open(genuine)).toEqual({ ...claims, kid: key.kid })
    const bare = {
      cdata: undefined,
      address: undefined,
      proof: undefined,
      step: undefined,
      namedAgent: undefined,
    }
    expect(await open(await sign(tokens, bare))).toMatchObject({
      jti: JTI,
      sitekey: SITE,
      kid: key.kid,
    })
  })

  test('has a header with algorithm, type and key id only', () => {
    expect(decodeProtectedHeader(genuine)).toEqual({
      alg: 'HS256',
      typ: `${kind}+jwt`,
      kid: key.kid,
    })
  })

  test('is no other kind', async () => {
    for (const other of KINDS)
      expect(typeof (await other.open(genuine))).toBe(other.kind === kind ? 'object' : 'string')
  })

  test('of another deployment, or of another key with the same kid, is invalid', async () => {
    expect(await open(await sign(of('https://other.example.com')))).toBe('invalid')
    expect(await open(await sign(of(ISSUER, keyring([{ ...newKey(NOW), kid: key.kid }]))))).toBe(
      'invalid',
    )
  })

  test('expires five seconds after its end, or if the clock is not a number', async () => {
    const { exp } = decodeJwt(genuine)
    expect(await open(genuine, unixSeconds(exp! + 4))).toMatchObject({ jti: JTI })
    for (const at of [exp! + 5, exp! + 90_000, Number.NaN, Infinity])
      expect(await open(genuine, unixSeconds(at))).toBe('expired')
  })

  test('with any single bit changed is invalid', async () => {
    const bytes = Buffer.from(genuine)
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 4, 64]) {
        bytes[at]! ^= bit
        expect(await open(bytes.toString('latin1'))).toBe('invalid')
        bytes[at]! ^= bit
      }
    }
  })

  test('in any other spelling is invalid', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // Of the last character of a MAC, 2 bits stand for nothing: four letters spell the same bytes.
    const variants = [...alphabet].map((c) => genuine.slice(0, -1) + c)
    variants.push(`${genuine} `, ` ${genuine}`, `${genuine}=`, `${genuine}\n`, `${genuine}.`)
    variants.push(genuine.replace('.', ' .'), genuine.replace('.', '=.'))
    variants.push(genuine.replaceAll('-', '+').replaceAll('_', '/'))
    for (const variant of variants.filter((each) => each !== genuine))
      expect(await open(variant)).toBe('invalid')
  })

  test('that is not a token is invalid', async () => {
    const dots = [
      '',
      'x',
      '..',
      'e30.e30',
      'e30.e30.e30',
      'e30.e30.e30.e30',
      'AAAA.e30.AAAA',
      'bnVsbA.e30.AAAA',
    ]
    for (const text of [...dots, 'e30.e30.e30.e30.e30', 'A'.repeat(1_000_000)])
      expect(await open(text)).toBe('invalid')
  })

  test.each(['none', 'None', 'HS512', 'RS256', 'EdDSA', 'dir'])(
    'that names the algorithm %s is invalid',
    async (alg) => {
      const header = Buffer.from(
        JSON.stringify({ alg, typ: `${kind}+jwt`, kid: key.kid }),
      ).toString('base64url')
      const signed = `${header}.${genuine.split('.')[1]}`
      for (const secret of ['', key.kid]) {
        const mac = createHmac('sha256', secret).update(signed).digest('base64url')
        expect(await open(`${signed}.${mac}`)).toBe('invalid')
      }
      expect(await open(`${signed}.`)).toBe('invalid')
    },
  )

  test.each([
    ...odd('kid', undefined, 'nobody', '__proto__', 7),
    ...odd('typ', undefined, 'JWT', 'RESPONSE+JWT', `application/${kind}+jwt`),
    ...odd('jwk', { kty: 'oct', k: 'AAAA' }),
    ...odd('jku', 'https://evil.example/keys'),
    ...odd('x5u', 'https://evil.example/cert'),
    ...odd('zip', 'DEF'),
    ...odd('b64', true),
  ])('whose header has %j is invalid, though we signed it', async (header) => {
    expect(typeof (await open(await forge(self, {})))).toBe('object')
    expect(await open(await forge(self, {}, header))).toBe('invalid')
  })

  test('whose header has crit is invalid, though we signed it', async () => {
    const [, payload] = genuine.split('.')
    const crit = { alg: 'HS256', crit: ['exp'], exp: 1, typ: `${kind}+jwt`, kid: key.kid }
    const signed = `${Buffer.from(JSON.stringify(crit)).toString('base64url')}.${payload}`
    const mac = await webcrypto.subtle.sign('HMAC', await key.hs256(kind), Buffer.from(signed))
    expect(await open(`${signed}.${Buffer.from(mac).toString('base64url')}`)).toBe('invalid')
  })
})

describe('claims that we never sign are invalid, though we signed them', () => {
  const COMMON = [
    ...odd('iss', undefined),
    ...odd('aud', undefined, [SITE, 'other']),
    ...odd('iat', undefined, -1, null),
    ...odd('exp', undefined, 9e15, NOW + 100.5, String(NOW + 120)),
    ...odd('jti', undefined, 'short', [JTI]),
    ...odd('gen', undefined, 7, 'a generation', 'G'.repeat(65)),
    ...odd('act', undefined, ['sign-up']),
    ...odd('sub', 'somebody'),
    ...odd('unknown', 0.5),
  ]
  const SEALED = [
    ...odd('hst', undefined, 7),
    ...odd('kee', undefined, 9e15, 'for ever', NOW + 119, NOW + 600 + 86_401),
    ...odd('slc', undefined, 7, 'AAAA'),
    ...odd('jti', 'CCCCCCCCCCCCCCCCCCCCCC'),
  ]
  const pow = challengeClaims.pow
  const CHALLENGE = [
    ...odd('org', undefined, 'shop', 7),
    ...odd('tlt', undefined, 0, 1e9, '120'),
    ...odd(
      'pow',
      null,
      's32.1',
      { ...pow, a: 'md5' },
      { ...pow, n: 1.5 },
      { ...pow, s: -1 },
      { ...pow, b: 'late' },
    ),
    ...odd('pow', { ...pow, c: 1 }),
    ...odd('adr', 7),
    ...odd('cda', { basket: 7 }),
    ...odd('prf', 99),
    ...odd('stp', 'short'),
    ...odd('nam', 7),
  ]
  const RESPONSE = [...odd('cts', undefined, 'yesterday', 9e15), ...odd('cda', { basket: 7 })]
  const rows: readonly (readonly [Kind, readonly Record<string, unknown>[]])[] = [
    [challenge, [...COMMON, ...CHALLENGE]],
    [response, [...COMMON, ...SEALED, ...RESPONSE]],
    [ticket, [...COMMON, ...SEALED, ...odd('cda', 'basket-7')]],
  ]
  test.each(
    rows.flatMap(([kind, changes]) => changes.map((change) => [kind.kind, change, kind] as const)),
  )('in a %s: %j', async (_name, change, kind) => {
    expect(typeof (await kind.open(await forge(kind, {})))).toBe('object')
    expect(await kind.open(await forge(kind, change))).toBe('invalid')
  })
})

test('the claims of a challenge have the names by which other instances read them', async () => {
  const names = 'act adr aud cda exp gen iat iss jti nam org pow prf stp tlt'.split(' ')
  expect(Object.keys(decodeJwt(await challenge.sign())).sort()).toEqual(names)
})

test('a token of another site is invalid, expired or not', async () => {
  const other = 'hv_site_other000' as Sitekey
  for (const at of [NOW, unixSeconds(NOW + 90_000)]) {
    expect(await tokens.openResponse(await response.sign(), other, at)).toBe('invalid')
    expect(await tokens.openTicket(await ticket.sign(), other, at)).toBe('invalid')
  }
})

describe('the sealed part', () => {
  const slcOf = (token: string): string => String(decodeJwt(token)['slc'])

  test('shows neither score nor address', async () => {
    const claims = decodeJwt(await response.sign())
    const names = [
      'act',
      'aud',
      'cda',
      'cts',
      'exp',
      'gen',
      'hst',
      'iat',
      'iss',
      'jti',
      'kee',
      'slc',
    ]
    expect(Object.keys(claims).sort()).toEqual(names)
    expect(slcOf(await response.sign())).not.toBe(slcOf(await response.sign()))
  })

  // docs/design/threats.md#t6: the length is an oracle too.
  const contributions = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: 249 + i, value: -9.99 }))
  const decision = { score: 0.87, contributions: [], rule: undefined }
  const DIFFERENT: readonly SealedClaims[] = [
    { decision: { ...decision, score: 0 }, address: undefined, namedAgent: undefined },
    {
      decision: { ...decision, score: 1, contributions: contributions(1) },
      address: hash,
      namedAgent: undefined,
    },
    {
      decision: { ...decision, stepped: true },
      address: '6pT4b8lIdDeJD0zcmQ9YTxEg' as AddressHash,
      namedAgent: 'a',
    },
    {
      decision: { ...decision, rule: { id: '01234567', effect: { kind: 'deny' } } },
      address: hash,
      namedAgent: 'a',
    },
    {
      decision: {
        score: 0.01,
        contributions: contributions(7),
        rule: { id: '01234567', effect: { kind: 'adjust', score: -9.99, work: undefined } },
        stepped: true,
      },
      address: hash,
      namedAgent: 'a-name-of-20-letters',
    },
  ]
  test.each([response, ticket])(
    'opens to what was sealed, and makes every $kind equally long',
    async ({ sign, open }) => {
      const lengths = new Set<number>()
      for (const each of DIFFERENT) {
        const token = await sign(tokens, { sealed: each })
        expect(((await open(token)) as ResponseClaims).sealed).toEqual(each)
        lengths.add(token.length)
      }
      expect(lengths.size).toBe(1)
    },
  )

  test('opens in no other token, and not in a ticket of the same id', async () => {
    const slc = slcOf(
      await tokens.signResponse({ ...responseClaims, jti: 'CCCCCCCCCCCCCCCCCCCCCC' as never }),
    )
    expect(await response.open(await forge(response, { slc }))).toBe('invalid')
    expect(await ticket.open(await forge(ticket, { slc: slcOf(await response.sign()) }))).toBe(
      'invalid',
    )
  })

  test('is refused when it does not fit', async () => {
    const long = { ...sealed, decision: { ...decision, contributions: contributions(20) } }
    await expect(response.sign(tokens, { sealed: long })).rejects.toThrow(/at most 165 bytes/)
  })
})

// docs/api/api.md, "Tokens": everything at its longest.
test('a response token has at most 2,048 characters, and a longer one is invalid', async () => {
  const long = of(`https://${'v'.repeat(92)}`, keyring([{ ...newKey(NOW), kid: 'k'.repeat(12) }]))
  const token = await long.signResponse({
    ...responseClaims,
    sitekey: `hv_site_${'x'.repeat(64)}` as Sitekey,
    hostname: 'h'.repeat(253) as never,
    action: 'a'.repeat(64) as never,
    // 510 bytes in the token, since a quote takes two: the most that requests.ts accepts.
    cdata: `${'€'.repeat(128)}${'"'.repeat(63)}`,
  })
  expect(token.length).toBeLessThanOrEqual(2048)
  expect(await response.open(await forge(response, { cda: 'x'.repeat(2048) }))).toBe('invalid')
})

test.each([NOW + 120, NOW + 120 + 86_400])(
  'a token that expires at 1,800,000,120 may be kept until %d',
  async (keepUntil) => {
    expect(await response.open(await response.sign(tokens, { keepUntil }))).toMatchObject({
      keepUntil,
    })
  },
)

test('with two keys the newest that is active signs, both verify, and a retired one does not', async () => {
  const old = newKey(NOW)
  const next = newKey(unixSeconds(NOW + 60))
  const both = of(ISSUER, keyring([old, next]))
  const now = await response.sign(both)
  const soon = await response.sign(both, { issuedAt: unixSeconds(NOW + 60) })
  expect(await response.open(now, NOW, both)).toMatchObject({ kid: old.kid })
  expect(await response.open(soon, NOW, both)).toMatchObject({ kid: next.kid })
  expect(await response.open(now, NOW, of(ISSUER, keyring([next])))).toBe('invalid')
})

test('an address is stored as a keyed hash; hashes compare under one key only', () => {
  const own = tokens.hashAddress('203.0.113.7')
  expect(own).toMatch(/^4g[\w-]{22}$/)
  expect(tokens.hashAddress('fd00::7')).toMatch(/^6p[\w-]{22}$/)
  expect(tokens.hashAddress('::ffff:203.0.113.7', key.kid)).toEqual(own)
  expect(tokens.hashAddress('203.0.113.7', key.kid, own)).toBe(own)
  expect(distanceOf(own, tokens.hashAddress('203.0.113.8', key.kid, own))).toBe('near')
  expect(distanceOf(own, tokens.hashAddress('203.0.112.7'))).toBe('elsewhere')
  const [a, b, c] = ['2001:db8:0:1::1', '2001:db8:0:2::1', '2001:db8:0:101::1'].map((each) =>
    subnetOf(tokens.hashAddress(each)!),
  )
  expect([a === b, a === c]).toEqual([true, false])
  expect(of(ISSUER, keyring([newKey(NOW)])).hashAddress('203.0.113.7')).not.toEqual(own)
  expect(tokens.hashAddress('nobody')).toBeUndefined()
  expect(tokens.hashAddress('203.0.113.7', 'gone' as Kid)).toBeUndefined()
})

test('derived keys depend on purpose, input and key', () => {
  const all = [['proof', 'a'] as const, ['proof', 'b'] as const, ['positions', 'a'] as const]
  expect(
    new Set(all.map(([purpose, input]) => String(tokens.derive(purpose, input, key.kid)))).size,
  ).toBe(3)
  expect(() => tokens.derive('proof', 'a', 'gone' as Kid)).toThrow(
    'expected the kid of an opened token',
  )
})
