import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ChallengeClaims } from '../../../src/domain/challenge.ts'
import { putProof } from '../../../src/proof/proof.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { caller, NOW, type Operations, operations, ORIGIN, site, SITEKEY } from './parts.ts'
import { powKey } from '../../../src/work/solution.ts'

let on: Operations
beforeEach(async () => {
  on = await operations({
    sites: [site({ actions: ['sign-up'], work: { level: 1, maxLevel: 6, humanCost: seconds(2), fallback: true } })],
  })
})
const genuine = { sitekey: SITEKEY, action: 'sign-up', cdata: 'basket-7' }

test('what a challenge says is fixed in its signature', async () => {
  const { challenge, key, ...answer } = await on.issue(genuine, caller())
  expect(key).toEqual([...powKey(challenge)])
  expect(answer).toEqual({ work: { a: 's32.1', s: 1024, n: 4608, b: 4000 }, expires_in: 600 })
  const claims = (await on.tokens.openChallenge(challenge, unixSeconds(NOW))) as ChallengeClaims
  expect(claims).toEqual({
    jti: expect.stringMatching(/^[\w-]{22}$/),
    kid: expect.any(String),
    sitekey: SITEKEY,
    origin: ORIGIN,
    hostname: 'shop.example.com',
    action: 'sign-up',
    cdata: 'basket-7',
    generation: on.ledger.generation(claims.jti),
    issuedAt: NOW,
    expiresAt: NOW + 600,
    tokenLifetime: 120,
    pow: { a: 's32.1', s: 1024, n: 4608, b: 4000 },
    address: on.tokens.markAddress('203.0.113.7'),
    proof: undefined,
  })
})

test.each([
  { life: 600, budget: 22_413, when: 'twice what raised work takes a slow phone' },
  { life: 30, budget: 15_000, when: 'half the life of the challenge, where that is shorter' },
])('a part of raised work may be handed in after $when', async ({ life, budget }) => {
  const work = { level: 6, maxLevel: 8, humanCost: seconds(2), fallback: true }
  on = await operations({ sites: [site({ work, challengeLifetime: seconds(life) })] })
  const answer = await on.issue(genuine, caller())
  expect(answer.work).toMatchObject({ n: 147_456, b: budget })
})

test('who can answer a browser proof gets its tasks, made from the id with a key that only we have', async () => {
  const { challenge, proof } = await on.issue({ ...genuine, proof: 1 }, caller())
  const claims = (await on.tokens.openChallenge(challenge, unixSeconds(NOW))) as ChallengeClaims
  expect(claims.proof).toBe(1)
  expect(proof).toEqual(putProof(on.tokens.derive('proof', claims.jti, claims.kid), 1))
})

test.each([
  { gives: 'none', when: 'everything holds', change: {}, from: {} },
  { gives: 'none', when: 'the page is below a wildcard', change: {}, from: { origin: 'https://a.shop.example.com' } },
  {
    gives: 'invalid-input-sitekey',
    when: 'nobody knows the sitekey',
    change: { sitekey: 'hv_site_nobody00' },
    from: {},
  },
  { gives: 'hostname-not-allowed', when: 'there is no origin', change: {}, from: { origin: undefined } },
  {
    gives: 'hostname-not-allowed',
    when: 'the page is not the site’s',
    change: {},
    from: { origin: 'https://evil.example' },
  },
  { gives: 'hostname-not-allowed', when: 'the origin is opaque', change: {}, from: { origin: 'null' } },
  { gives: 'bad-request', when: 'the action is none', change: { action: 'sign up' }, from: {} },
  { gives: 'action-not-allowed', when: 'the action is not the site’s', change: { action: 'log-in' }, from: {} },
])('$gives when $when', async ({ gives, change, from }) => {
  expect(await faultOf(() => on.issue({ ...genuine, ...change }, caller(from)))).toBe(gives)
})

test('without an action is for the default action of the site; a site without one refuses it', async () => {
  const { action: _, ...nameless } = genuine
  expect(await faultOf(() => on.issue(nameless, caller()))).toBe('bad-request')
  on = await operations({ sites: [site({ actions: ['sign-up', 'log-in'], defaultAction: 'log-in' })] })
  const { challenge } = await on.issue(nameless, caller())
  expect(await on.tokens.openChallenge(challenge, unixSeconds(NOW))).toMatchObject({ action: 'log-in' })
})

describe('the limit', () => {
  test('comes first, and counts the address, not the sitekey, by a mark', async () => {
    await faultOf(() => on.issue({ ...genuine, sitekey: 'hv_site_nobody00' }, caller()))
    expect(on.asked).toEqual([`limit challenge 4${on.tokens.markAddress('203.0.113.7')!.hash}`])
  })
  // Junk filled Redis, and every visitor got 503, also those whose token was only to be verified.
  test.each([
    [0.94, 'none'],
    [0.95, 'database-unavailable'],
  ])('is not even asked where the store is %d full: %s', async (fullness, code) => {
    Object.assign(on.ledger, { fullness: () => fullness })
    expect(await faultOf(() => on.issue(genuine, caller()))).toBe(code)
    expect(on.asked).toHaveLength(code === 'none' ? 1 : 0)
  })
  test.each([undefined, 'nobody'])('gives strangers (%j) one budget together', async (address) => {
    await on.issue(genuine, caller({ address }))
    expect(on.asked).toEqual(['limit challenge unknown'])
  })
})

describe('a challenge for pb.1', () => {
  const asked = { ...genuine, algorithm: 'pb.1' } as const

  test('says so in its signature, with half as many units', async () => {
    const { challenge, work } = await on.issue(asked, caller())
    expect(work).toEqual({ a: 'pb.1', s: 2000, n: 384, b: 4000 })
    expect(await on.tokens.openChallenge(challenge, unixSeconds(NOW))).toMatchObject({ pow: work })
  })
})
