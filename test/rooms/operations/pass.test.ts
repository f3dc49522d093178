/** A pass, by which a customer vouches for a visitor, is judged like a token, and counts once. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { type PrivatePassKey, signPass } from '../../../src/tokens/passes.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { pass as passAt, PASS_KEY } from '../../support/pass.ts'
import {
  caller,
  NOW,
  type Operations,
  operations,
  responseToken,
  SECRET,
  site,
  SITEKEY,
} from './parts.ts'

const OTHER_KEY = {
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid: 'pass-2',
} as PrivatePassKey
const { d: _private, ...OTHER_PUBLIC } = OTHER_KEY
let on: Operations
beforeEach(async () => {
  on = await operations({ sites: [site({ passKeys: [OTHER_PUBLIC, PASS_KEY] })] })
  // The generation began a while ago.
  on.at.now = NOW + 600
})
const pass = (change: Record<string, unknown> = {}) => passAt(change, on.at.now)
const verify = (response: string, more: object = {}) =>
  on.verify({ secret: SECRET, response, ...more }, caller())
const spelled = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('is accepted once, with the threshold as its score, and marked in the log', async () => {
  const from = caller()
  const response = await pass({ hostname: 'Shop.example.com', iss: 'support desk', sub: 'case 7' })
  const verdict = await on.verify(
    { secret: SECRET, response, action: 'sign-up', remoteip: '198.51.100.7' },
    from,
  )
  expect(verdict).toMatchObject({
    accepted: true,
    scoreThreshold: 0.5,
    claims: {
      action: 'sign-up',
      hostname: 'shop.example.com',
      sealed: { decision: { score: 0.5 } },
    },
  })
  expect(from.notes).toMatchObject({ vouched: true, score: 0.5 })
  expect(await verify(response)).toEqual({ accepted: false, code: 'timeout-or-duplicate' })
  expect(on.consumed.map(({ kind }) => kind)).toEqual(['pass', 'pass'])
})
test.each([
  { threshold: 0.3, action: undefined },
  { threshold: 0.3, action: 'sign-up' },
  { threshold: 0.7, action: undefined },
  { threshold: 0.7, action: 'sign-up' },
])(
  'for an action with a threshold of $threshold is accepted where the handler names $action',
  async ({ threshold, action }) => {
    const actionThresholds = new Map([['sign-up', { scoreThreshold: threshold }]])
    on = await operations({ sites: [site({ passKeys: [PASS_KEY], actionThresholds })] })
    on.at.now = NOW + 600
    expect(await verify(await pass(), { action })).toMatchObject({ accepted: true })
  },
)
test('signed with either key of the site is accepted', async () => {
  const [issuedAt, expiresAt] = [unixSeconds(on.at.now), unixSeconds(on.at.now + 60)]
  const claims = { action: 'sign-up', hostname: 'shop.example.com', issuedAt, expiresAt } as never
  expect(await verify(await signPass(claims, SITEKEY, OTHER_KEY))).toMatchObject({ accepted: true })
})
test('does not keep ordinary tokens of its site from being accepted', async () => {
  expect(await verify(await responseToken(on))).toMatchObject({ accepted: true })
})
test.each([
  { when: 'ends 20 s later', after: 0, by: 20 },
  { when: 'ends an hour later', after: 0, by: 3600 },
  { when: 'ends a day later', after: 0, by: 85_000 },
  { when: 'comes when the first one is nearly over', after: 1200, by: 3600 },
])(
  'with the id of a used one is refused while that could be used, although it $when',
  async ({ after, by }) => {
    const [jti, iat, exp] = ['twice-used-pass-id-0-0', on.at.now, on.at.now + 1300]
    expect(await verify(await pass({ jti, iat, exp }))).toMatchObject({ accepted: true })
    on.at.now += after
    expect(await verify(await pass({ jti, iat: on.at.now, exp: exp + by }))).toMatchObject({
      code: 'timeout-or-duplicate',
    })
  },
)
test('for another action is action-mismatch, and is consumed', async () => {
  const response = await pass()
  expect(await verify(response, { action: 'log-in' })).toMatchObject({ code: 'action-mismatch' })
  expect(await verify(response)).toMatchObject({ code: 'timeout-or-duplicate' })
})

const INVALID = { accepted: false, code: 'invalid-input-response' }

describe('is invalid', () => {
  const isInvalid = async (response: string) => expect(await verify(response)).toEqual(INVALID)

  test.each<[string, () => Record<string, unknown>]>([
    ['for another site', () => ({ aud: 'hv_site_other000' })],
    ['for no site', () => ({ aud: undefined })],
    ['for a hostname that is not the site’s', () => ({ hostname: 'evil.example.net' })],
    ['for a pattern of hostnames', () => ({ hostname: '*.shop.example.com' })],
    ['for a hostname with a port', () => ({ hostname: 'a.shop.example.com:8443' })],
    ['for a hostname with a path', () => ({ hostname: 'x/.shop.example.com' })],
    ['for no hostname', () => ({ hostname: undefined })],
    ['for an action that no form has', () => ({ action: 'ünï' })],
    ['for no action', () => ({ action: undefined })],
    ['from the future', () => ({ iat: on.at.now + 90, exp: on.at.now + 300 })],
    ['before it begins', () => ({ nbf: on.at.now + 60 })],
    ['for more than a day', () => ({ exp: on.at.now + 86_401 })],
    ['for less than a minute', () => ({ exp: on.at.now + 59 })],
    ['that ends before it begins', () => ({ iat: on.at.now + 50, exp: on.at.now + 20 })],
    ['without a beginning', () => ({ iat: undefined })],
    ['without an end', () => ({ exp: undefined })],
    ['with an end that is no whole number', () => ({ exp: on.at.now + 100.5 })],
    ['without an id', () => ({ jti: undefined })],
    ['with a short id', () => ({ jti: 'short' })],
  ])('%s', async (_what, change) => isInvalid(await pass(change())))

  test('for an action that is not on the site’s list', async () => {
    const response = await pass()
    on = await operations({ sites: [site({ passKeys: [PASS_KEY], actions: ['log-in'] })] })
    on.at.now = NOW + 600
    await isInvalid(response)
  })
  test.each([
    ['by another key of the same kid', { alg: 'EdDSA', typ: 'pass+jwt', kid: PASS_KEY.kid }],
    ['by a key that the site does not have', { alg: 'EdDSA', typ: 'pass+jwt', kid: 'stranger' }],
    ['without a kid', { alg: 'EdDSA', typ: 'pass+jwt' }],
    [
      'with its own key in the header',
      { alg: 'EdDSA', typ: 'pass+jwt', kid: PASS_KEY.kid, jwk: PASS_KEY },
    ],
  ])('%s', async (_what, header) => {
    const { privateKey } = await generateKeyPair('EdDSA')
    const [, payload = ''] = (await pass()).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    await isInvalid(await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey))
  })
  test('by no algorithm, or by an HMAC under the public key', async () => {
    const [, payload = '', signature] = (await pass()).split('.')
    const header = (alg: string) =>
      `${spelled({ alg, typ: 'pass+jwt', kid: PASS_KEY.kid })}.${payload}`
    const pem = createPublicKey({ key: { ...PASS_KEY }, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    await isInvalid(`${header('none')}.`)
    await isInvalid(`${header('none')}.${signature}`)
    for (const key of [
      PASS_KEY.x,
      Buffer.from(PASS_KEY.x, 'base64url'),
      pem,
      JSON.stringify(PASS_KEY),
    ])
      await isInvalid(
        `${header('HS256')}.${createHmac('sha256', key).update(header('HS256')).digest('base64url')}`,
      )
  })
  test('without a header', async () => isInvalid('no.pass.atall'))
  test('where the site has no key', async () => {
    const response = await pass()
    on = await operations({ sites: [site()] })
    await isInvalid(response)
  })
})

describe('is over', () => {
  const refused = { accepted: false, code: 'timeout-or-duplicate' }
  test('when its minutes have passed', async () => {
    const response = await pass()
    on.at.now += 1806
    expect(await verify(response)).toEqual(refused)
  })
  test('when the ledger’s generation began later: a lost entry may have consumed it', async () => {
    on.at.now = NOW
    expect(await verify(await pass())).toEqual(refused)
    // A customer's clock that is a minute ahead gains nothing.
    expect(await verify(await pass({ iat: NOW + 59 }))).toEqual(refused)
  })
})
