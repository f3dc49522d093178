/** Receipts: what they say, who can check them, and that nothing but the verdict decides how they read. */
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { ResponseClaims } from '../../../src/domain/response.ts'
import {
  type Action,
  type Generation,
  type Hostname,
  type Jti,
  type Kid,
  type Sitekey,
  unixSeconds,
} from '../../../src/domain/words.ts'
import { type Jwk, keyring, newKey } from '../../../src/token/keyring.ts'
import { jwsReceipts } from '../../../src/token/receipts.ts'
import { receiptKey } from '../../../src/token/receipt-key.ts'

const NOW = unixSeconds(1_800_000_000)
const key = (change: Partial<Jwk> = {}): Jwk => ({ ...newKey(NOW), ...change })
const claims = (change: Partial<ResponseClaims> = {}): ResponseClaims => ({
  jti: randomBytes(16).toString('base64url') as Jti,
  kid: 'first' as Kid,
  sitekey: 'hv_site_testshop' as Sitekey,
  hostname: 'shop.example.com' as Hostname,
  action: 'sign-up' as Action,
  cdata: undefined,
  generation: 'g' as Generation,
  challengedAt: NOW,
  issuedAt: unixSeconds(NOW + 5),
  expiresAt: unixSeconds(NOW + 125),
  keepUntil: unixSeconds(NOW + 800),
  sealed: { decision: { model: 1, score: 0.88, contributions: [], weights: '', rule: undefined }, address: undefined },
  ...change,
})
const read = (receipt: string, part: 0 | 1): unknown =>
  JSON.parse(Buffer.from(receipt.split('.')[part]!, 'base64url').toString())

describe('a receipt', () => {
  const first = key({ kid: 'first' })

  test('says exactly what docs/api/receipt.md says', async () => {
    const visit = claims()
    const receipt = await jwsReceipts({ keyring: keyring([first]), issuer: 'https://verify.example.com' }).sign(visit)
    expect(read(receipt, 0)).toEqual({ alg: 'EdDSA', typ: 'hv-receipt+jwt', kid: 'first' })
    expect(read(receipt, 1)).toEqual({
      v: 1,
      iss: 'https://verify.example.com',
      aud: 'hv_site_testshop',
      iat: NOW + 5,
      exp: NOW + 185,
      jti: visit.jti,
      hostname: 'shop.example.com',
      action: 'sign-up',
      score: 0.88,
    })
    expect(receipt.length).toBeLessThan(600)
  })

  test('has cdata when the page gave one', async () => {
    const receipts = jwsReceipts({ keyring: keyring([first]), issuer: 'x' })
    expect(read(await receipts.sign(claims({ cdata: 'basket-7' })), 1)).toMatchObject({ cdata: 'basket-7' })
  })

  test('is the same whenever and on whichever instance it is signed', async () => {
    const visit = claims()
    const [one, other] = [keyring([first]), keyring([key(), first])].map((ring) =>
      jwsReceipts({ keyring: ring, issuer: 'x' }),
    )
    expect(await other!.sign(visit)).toBe(await one!.sign(visit))
  })

  test('is checked with the public key alone, by other code than ours', async () => {
    const receipts = jwsReceipts({ keyring: keyring([first]), issuer: 'x' })
    const [head, body, signature = ''] = (await receipts.sign(claims())).split('.')
    const [jwk] = receipts.keys().keys
    const publicKey = createPublicKey({ key: { ...jwk! }, format: 'jwk' })
    const checks = (text: string): boolean =>
      verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))
    expect(checks(`${head}.${body}`)).toBe(true)
    expect(checks(`${head}.${body}A`)).toBe(false)
  })
})

describe('the public keys', () => {
  test('are those of every key, also of one that does not seal yet; and nothing private', async () => {
    const ring = keyring([key({ kid: 'next', nbf: NOW + 600 }), key({ kid: 'first', nbf: NOW - 600 })])
    const { keys } = jwsReceipts({ keyring: ring, issuer: 'x' }).keys()
    expect(keys).toEqual(
      ['next', 'first'].map((kid) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid,
        x: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      })),
    )
  })

  test('a receipt is signed by the key that sealed its token; by the active one when that is not known', async () => {
    const receipts = jwsReceipts({
      keyring: keyring([key({ kid: 'next', nbf: NOW }), key({ kid: 'first', nbf: NOW - 600 })]),
      issuer: 'x',
    })
    expect(read(await receipts.sign(claims()), 0)).toMatchObject({ kid: 'first' })
    expect(read(await receipts.sign(claims({ kid: '' as Kid })), 0)).toMatchObject({ kid: 'next' })
  })

  // RFC 8032, section 7.1, TEST 1.
  test('come from a seed as RFC 8032 says', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
    const published = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex')
    expect(receiptKey(seed, 'k' as Kid).published.x).toBe(published.toString('base64url'))
  })
})
