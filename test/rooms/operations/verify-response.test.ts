import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Verdict } from '../../../src/claims/verdict.ts'
import type { Notes } from '../../../src/domain/observing.ts'
import type { SiteverifyRequest } from '../../../src/wire.ts'
import { faultOf } from '../../support/ledger-contract.ts'
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
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const OTHER_SECRET = `hv_secret_${'OtherSite0123456'.repeat(3)}`
const KEY = '018f4e6a-7b1c-7def-8123-456789abcdef'
let on: Operations
let genuine: SiteverifyRequest
beforeEach(async () => {
  on = await operations({
    sites: [site(), site({ sitekey: 'hv_site_other000' as never }, OTHER_SECRET)],
  })
  genuine = {
    secret: SECRET,
    response: await responseToken(on),
    action: 'sign-up',
    remoteip: '203.0.113.7',
  }
  on.asked.length = 0
  on.consumed.length = 0
})
/** What a test changes of the genuine request; undefined: the field is not sent. */
type Change = { readonly [F in keyof SiteverifyRequest]?: SiteverifyRequest[F] | undefined }
const code = (verdict: Verdict): string => (verdict.accepted ? 'accepted' : verdict.code)
const verify = async (change: Change = {}) =>
  code(await on.verify({ ...genuine, ...change } as unknown as SiteverifyRequest, caller()))

test('the order is: open, limit of the site, consume', async () => {
  await verify()
  expect(on.asked).toEqual(['open', `limit siteverify ${SITEKEY}`, 'consume'])
})

test('the ledger entry is kept until the last token of its challenge has expired', async () => {
  await verify()
  expect(on.consumed).toEqual([
    {
      kind: 'response',
      jti: expect.stringMatching(/^[\w-]{22}$/),
      generation: on.ledger.generation('' as never),
      attempt: expect.stringMatching(/^[\w-]{22}$/),
      expiresAt: NOW + 120,
      keepUntil: NOW + 780,
    },
  ])
})

test('the log has the token’s claims and score, never an address', async () => {
  const from = caller()
  await on.verify(genuine, from)
  const { jti } = on.consumed[0]!
  expect(from.notes).toStrictEqual({
    sitekey: SITEKEY,
    jti,
    action: 'sign-up',
    hostname: 'shop.example.com',
    score: 0.88,
  })
})

test.each([
  ['used before', () => on.verify(genuine, caller())],
  [
    'expired',
    async () => {
      on.at.now = NOW + 126
    },
  ],
] as const)('the log tells a token that is over by its cause: %s', async (detail, happens) => {
  await happens()
  const from = caller()
  expect(code(await on.verify(genuine, from))).toBe('timeout-or-duplicate')
  expect(from.notes.detail).toBe(detail)
})

test('a low score is counted with its reasons', async () => {
  on = await operations({ sites: [site({ scoreThreshold: 0.95 })] })
  const from = caller()
  const response = await responseToken(
    on,
    caller({ facts: () => ({ ...CHROMIUM_REQUEST, userAgent: 'curl/8' }) }),
  )
  const verdict = await on.verify({ secret: SECRET, response }, from)
  expect([code(verdict), (from.notes as Notes).reasons]).toEqual(['low-score', ['automation']])
})

test('a threshold that is tried out is noted where it would have refused, but refuses no visit', async () => {
  on = await operations({ sites: [site({ shadowThreshold: 0.95 })] })
  const from = caller()
  expect(
    await on.verify({ secret: SECRET, response: await responseToken(on) }, from),
  ).toHaveProperty('accepted', true)
  expect(from.notes).toHaveProperty('would_reject', true)
})

test.each([
  {
    own: { scoreThreshold: 0.95 },
    then: { accepted: false, code: 'low-score', scoreThreshold: 0.95 },
  },
  {
    own: { shadowThreshold: 0.95 },
    then: { accepted: true, scoreThreshold: 0.5 },
    notes: { would_reject: true },
  },
])(
  'an action’s own thresholds decide, and no other action’s: $own',
  async ({ own, then, notes = {} }) => {
    const verdictWith = async (action: string) => {
      on = await operations({ sites: [site({ actionThresholds: new Map([[action, own]]) })] })
      const from = caller()
      return [
        await on.verify({ secret: SECRET, response: await responseToken(on) }, from),
        from.notes,
      ]
    }
    const [verdict, noted] = await verdictWith('sign-up')
    expect([verdict, noted]).toMatchObject([then, notes])
    const [other, others] = await verdictWith('log-in')
    expect(other).toMatchObject({ accepted: true, scoreThreshold: 0.5 })
    expect(others).not.toHaveProperty('would_reject')
  },
)

test.each([
  {
    when: 'the handler names no action',
    request: {},
    then: { accepted: false, scoreThreshold: 0.95 },
  },
  {
    when: 'it names the action',
    request: { action: 'sign-up' },
    then: { accepted: true, scoreThreshold: 0.5 },
  },
])(
  'an action with a lower threshold decides only where the handler names it: $when',
  async ({ request, then }) => {
    const low = new Map([['sign-up', { scoreThreshold: 0.5 }]])
    on = await operations({ sites: [site({ scoreThreshold: 0.95, actionThresholds: low })] })
    const response = await responseToken(on)
    expect(await on.verify({ secret: SECRET, response, ...request }, caller())).toMatchObject(then)
  },
)

const wrong = (from = caller()) =>
  faultOf(() => on.verify({ ...genuine, secret: 'x'.repeat(40) }, from))

describe('without the secret', () => {
  test('nothing touches the site’s budget, the token or the ledger, or is logged', async () => {
    const from = caller()
    expect(await wrong(from)).toBe('invalid-input-secret')
    expect([on.asked, from.notes]).toEqual([['limit invalidSecret 203.0.113.7'], {}])
    expect(await verify()).toBe('accepted')
  })
  test('wrong secrets are limited by address; clients without one share a limit', async () => {
    on = await operations({ points: 2 })
    const codes = async (address: string | undefined) => {
      const said: string[] = []
      for (let i = 0; i < 3; i++) said.push(await wrong(caller({ address })))
      return said
    }
    const refused = ['invalid-input-secret', 'invalid-input-secret', 'rate-limit-exceeded']
    expect(await codes('203.0.113.7')).toEqual(refused)
    expect(await codes('203.0.113.8')).toEqual(refused)
    expect(await codes(undefined)).toEqual(refused)
    expect(await wrong(caller({ address: 'unknown' }))).toBe('rate-limit-exceeded')
  })
})

describe('is not consumed', () => {
  test('a token at another site’s secret', async () => {
    expect(await verify({ secret: OTHER_SECRET })).toBe('invalid-input-response')
    expect(await verify()).toBe('accepted')
  })
  test('a token of a site over its limit', async () => {
    on = await operations({ points: 1 })
    genuine = { secret: SECRET, response: await responseToken(on) }
    expect(await verify()).toBe('accepted')
    expect(await faultOf(() => verify())).toBe('rate-limit-exceeded')
    expect(on.consumed.filter(({ kind }) => kind === 'response')).toHaveLength(1)
  })
})

const answers = async (response: string, times: number) => {
  const said: string[] = []
  for (let i = 0; i < times; i++) {
    const judged = on.verify({ secret: SECRET, response }, caller())
    said.push(await judged.then(code, (fault: { code: string }) => fault.code))
  }
  return said
}
const over = 'timeout-or-duplicate'
const invalid = 'invalid-input-response'
test.each<[string, (token: string) => string, codes: string[]]>([
  ['made-up tokens', () => 'x', [invalid, invalid, invalid]],
  ['tokens with a wrong signature', (token) => `${token}x`, [invalid, invalid, invalid]],
  [
    'an expired token, sent repeatedly,',
    (token) => {
      on.at.now = NOW + 125
      return token
    },
    [over, over, over],
  ],
  // A bot did the work once, and posted its one token through the form 6,000 times: everybody else's was answered 429.
  ['a used token, sent repeatedly,', (token) => token, ['accepted', over, over, over]],
])(
  '%s exhaust a budget of their own only, and genuine tokens are still accepted',
  async (_what, made, codes) => {
    on = await operations({ points: 3 })
    const response = made(await responseToken(on))
    expect(await answers(response, codes.length + 1)).toEqual([...codes, 'rate-limit-exceeded'])
    on.asked.length = 0
    for (let i = 0; i < 2; i++)
      expect(await answers(await responseToken(on), 1)).toEqual(['accepted'])
    expect(on.asked).toContain(`limit siteverify ${SITEKEY}`)
  },
)

describe('what one sender wastes', () => {
  const AT_ONCE = 600
  const others = async (change: Change) => [
    await verify(change),
    // Its token is expired, so it reads why it has to try again, not that the service is unavailable.
    await verify({ ...change, response: await expired() }),
  ]
  let expired: () => Promise<string>
  beforeEach(async () => {
    on = await operations({ points: AT_ONCE })
    const old = await responseToken(on)
    on.at.now += 125
    expired = async () => old
    genuine = { ...genuine, response: await responseToken(on) }
  })
  const waste = (response: string, remoteip: string | undefined) =>
    Promise.all(
      Array.from({ length: AT_ONCE + 20 }, () =>
        verify({ response, remoteip }).catch((fault: { code: string }) => fault.code),
      ),
    )

  test.each([
    { what: 'made-up tokens', response: () => 'x', from: '198.51.100.66' },
    { what: 'tokens of a /56', response: () => 'x', from: '2001:db8:1:aa07::1' },
    { what: 'an expired token', response: () => expired(), from: '198.51.100.66' },
  ])('$what cost no other visitor the answer', async ({ response, from }) => {
    const codes = await waste(await response(), from)
    expect(codes.filter((each) => each === 'rate-limit-exceeded')).toHaveLength(AT_ONCE + 20 - 30)
    expect(await others({ remoteip: '203.0.113.7' })).toEqual(['accepted', over])
  })

  test('a used token counts as sent from where it was solved, where the customer names no address', async () => {
    await waste(genuine.response, undefined)
    genuine = { ...genuine, response: await responseToken(on) }
    expect(await others({ remoteip: undefined })).toEqual(['accepted', over])
  })

  test('made-up tokens without an address cost genuine tokens nothing, but use up what the site has', async () => {
    await waste('x', undefined)
    expect(await verify()).toBe('accepted')
    await expect(verify({ response: await expired() })).rejects.toMatchObject({
      code: 'rate-limit-exceeded',
    })
  })

  test('a private address names no sender: it may be that of a proxy in front of everybody', async () => {
    const codes = await waste('x', '10.0.0.7')
    expect(codes.filter((each) => each === invalid)).toHaveLength(AT_ONCE)
  })
})

test('an address is compared even if the token’s key is removed meanwhile', async () => {
  const ledger = { ...on.ledger }
  on.ledger.consume = (entry) => {
    Object.assign(on.tokens, { hashAddress: () => undefined })
    return ledger.consume(entry)
  }
  expect(code(await on.verify({ ...genuine, remoteip: '203.0.113.8' }, caller()))).toBe(
    'remoteip-mismatch',
  )
  expect(on.tokens.hashAddress('203.0.113.8')).toBeUndefined()
})

test.each([
  { then: 'accepted', remoteip: '203.0.113.0/24' },
  { then: 'accepted', remoteip: '203.0.113.99/24' },
  { then: 'accepted', remoteip: '2001:db8:1::/48' },
  { then: 'remoteip-mismatch', remoteip: '203.0.112.0/24' },
])(
  '$then where 203.0.113.7 solved and the customer sends $remoteip',
  async ({ then, remoteip }) => {
    expect(await verify({ remoteip })).toBe(then)
  },
)

describe('an idempotency key', () => {
  const keyed = { idempotency_key: KEY }

  test('repeats the answer to the same request, also a rejection', async () => {
    expect([await verify(keyed), await verify(keyed)]).toEqual(['accepted', 'accepted'])
    genuine = { ...genuine, response: await responseToken(on), action: 'log-in' }
    expect([await verify(keyed), await verify(keyed)]).toEqual([
      'action-mismatch',
      'action-mismatch',
    ])
  })
  test.each<[string, Change]>([
    ['another key', { idempotency_key: '018f4e6a-7b1c-7def-8123-456789abcdee' }],
    ['no key', { idempotency_key: undefined }],
    ['another action', { action: undefined }],
    ['another address', { remoteip: undefined }],
    ['an action in the place of the address', { action: '203.0.113.7', remoteip: 'sign-up' }],
  ])('does not repeat the answer with %s', async (_what, change) => {
    expect(await verify(keyed)).toBe('accepted')
    expect(await verify({ ...keyed, ...change })).toBe('timeout-or-duplicate')
  })
})

test('addresses that cannot be compared are logged once an hour, with what the operator should look at', async () => {
  // Of another network, but comparable.
  await verify({ remoteip: '198.51.100.7' })
  for (const [after, remoteip] of Object.entries({
    0: '10.0.0.1',
    3599: '2001:db8::1',
    3600: '2001:db8::2',
  })) {
    on.at.now = NOW + Number(after)
    await verify({ response: await responseToken(on), remoteip })
  }
  expect(on.lines.filter((line) => line.includes('cannot be compared'))).toEqual([
    expect.stringMatching(
      /^warn remoteip cannot be compared .*"sitekey":"hv_site_testshop".*solved from a public IPv4 address, remoteip is private IPv4.*trusted_proxies/,
    ),
    expect.stringMatching(/remoteip is public IPv6/),
  ])
})
