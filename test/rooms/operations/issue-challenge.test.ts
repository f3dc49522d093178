import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ChallengeClaims } from '../../../src/claims/challenge.ts'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { putProof } from '../../../src/proof/proof.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import type { ChallengeRequest } from '../../../src/wire.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { caller, NOW, type Operations, operations, ORIGIN, site, SITEKEY } from './parts.ts'
import { powKey } from '../../../src/work/solution.ts'

let on: Operations
beforeEach(async () => {
  on = await operations({
    sites: [
      site({
        actions: ['sign-up'],
        work: { level: 1, maxLevel: 6, humanCost: seconds(2), fallback: true },
      }),
    ],
  })
})
const genuine = { sitekey: SITEKEY, action: 'sign-up', cdata: 'basket-7' }

test('a challenge is signed with everything it asks for', async () => {
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
    address: on.tokens.hashAddress('203.0.113.7'),
    proof: undefined,
  })
})

test('the log has the site, the page, the challenge and its level; a page that is refused, up to 100 characters', async () => {
  const pages = [ORIGIN, `https://${'a'.repeat(60)}.${'b'.repeat(60)}`, undefined].map((origin) =>
    caller({ origin }),
  )
  for (const from of pages) await faultOf(() => on.issue(genuine, from))
  const [allowed, long, none] = pages.map(({ notes }) => notes)
  const jti = expect.stringMatching(/^[\w-]{22}$/)
  expect(allowed).toEqual({
    sitekey: SITEKEY,
    hostname: 'shop.example.com',
    jti,
    action: 'sign-up',
    level: 1,
  })
  expect(long).toEqual({ sitekey: SITEKEY, hostname: `${'a'.repeat(60)}.${'b'.repeat(39)}` })
  expect(none).toEqual({ sitekey: SITEKEY, hostname: '(none)' })
})

test.each([
  { life: 600, budget: 22_413, when: 'twice what raised work takes a slow phone' },
  { life: 30, budget: 15_000, when: 'half the life of the challenge, where that is shorter' },
])('a partial solution is accepted after $when', async ({ life, budget }) => {
  const work = { level: 6, maxLevel: 8, humanCost: seconds(2), fallback: true }
  on = await operations({ sites: [site({ work, challengeLifetime: seconds(life) })] })
  const answer = await on.issue(genuine, caller())
  expect(answer.work).toMatchObject({ n: 147_456, b: budget })
})

test('a widget that supports the browser proof gets tasks derived from the challenge id under a secret key', async () => {
  const { challenge, proof } = await on.issue({ ...genuine, proof: 1 }, caller())
  const claims = (await on.tokens.openChallenge(challenge, unixSeconds(NOW))) as ChallengeClaims
  expect(claims.proof).toBe(1)
  expect(proof).toEqual(putProof(on.tokens.derive('proof', claims.jti, claims.kid), 1))
})

test('a request without an action gets the site’s default action; without a default it is refused', async () => {
  const { action: _, ...nameless } = genuine
  expect(await faultOf(() => on.issue(nameless, caller()))).toBe('bad-request')
  on = await operations({
    sites: [site({ actions: ['sign-up', 'log-in'], defaultAction: 'log-in' })],
  })
  const { challenge } = await on.issue(nameless, caller())
  expect(await on.tokens.openChallenge(challenge, unixSeconds(NOW))).toMatchObject({
    action: 'log-in',
  })
})

describe('the limit', () => {
  test.each<[string, Partial<ChallengeRequest>, string | undefined, boolean]>([
    ['invalid-input-sitekey', { sitekey: 'hv_site_nobody00' }, ORIGIN, true],
    ['hostname-not-allowed', {}, 'https://other.example', true],
    ['hostname-not-allowed', {}, undefined, true],
    ['action-not-allowed', { action: 'log-in' }, ORIGIN, true],
    ['bad-request', { algorithm: 'pb.1' }, ORIGIN, false],
  ])(
    'counts a request that gets %s too, for the keyed hash of its address',
    async (code, change, origin, fallback) => {
      on = await operations({
        sites: [site({ actions: ['sign-up'], work: { ...site().work, fallback } })],
      })
      expect(await faultOf(() => on.issue({ ...genuine, ...change }, caller({ origin })))).toBe(
        code,
      )
      expect(on.asked).toEqual([`limit challenge ${on.tokens.hashAddress('203.0.113.7')}`])
    },
  )
  // Junk filled Redis, and every visitor got 503, also those whose token was only to be verified.
  test.each([
    [0.94, 1, { expires_in: 600 }],
    [0.95, 0, { code: 'database-unavailable', retryAfter: 1 }],
  ])(
    'when the store is %d full, a challenge asks it %d times, and is answered %j',
    async (fullness, times, answer) => {
      Object.assign(on.ledger, { fullness: () => fullness })
      expect(await on.issue(genuine, caller()).catch((fault: unknown) => fault)).toMatchObject(
        answer,
      )
      expect(on.asked).toHaveLength(times)
    },
  )
  test.each([undefined, 'nobody'])(
    'gives all clients without an address (%j) one shared budget',
    async (address) => {
      await on.issue(genuine, caller({ address }))
      expect(on.asked).toEqual(['limit challenge unknown'])
    },
  )
})

test('a challenge for pb.1 says so in its signature, has a twelfth of the units, and a limit of its own', async () => {
  const { challenge, work } = await on.issue({ ...genuine, algorithm: 'pb.1' }, caller())
  expect(work).toEqual({ a: 'pb.1', s: 2000, n: 384, b: 4000 })
  const hash = on.tokens.hashAddress('203.0.113.7')
  expect(on.asked).toEqual([`limit challenge ${hash}`, `check fallback ${hash} ${SITEKEY}`])
  expect(await on.tokens.openChallenge(challenge, unixSeconds(NOW))).toMatchObject({ pow: work })
})

test.each([
  { address: '203.0.113.7', notes: { agent: 'helper', rule: 'office', level: 3 } },
  { address: '198.51.100.7', notes: { agent_refusal: 'expired', level: 1 } },
  { address: undefined, notes: { agent_refusal: 'expired', level: 1 } },
])(
  'the rule that a visit from $address meets sets its work, and the log has $notes',
  async ({ address, notes }) => {
    const when = { cidr: ['203.0.113.0/24'], agent: ['helper'], action: ['sign-up'] }
    const effect = { kind: 'adjust', score: 0, work: 3 } as const
    const known = { name: 'helper', refusal: undefined }
    const unknown = { name: undefined, refusal: 'expired' } as const
    on = await operations({
      sites: [
        site({
          work: { ...site().work, level: 1, maxLevel: 6 },
          rules: [visitRule({ name: 'office', when, effect, until: undefined })],
        }),
      ],
      agents: { identify: (from) => (from.address === '203.0.113.7' ? known : unknown) },
    })
    const from = caller({ address })
    await on.issue(genuine, from)
    const always = {
      sitekey: SITEKEY,
      hostname: 'shop.example.com',
      action: 'sign-up',
      jti: expect.any(String),
    }
    expect(from.notes).toStrictEqual({ ...always, ...notes })
  },
)
