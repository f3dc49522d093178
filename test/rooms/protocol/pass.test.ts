/** A pass, by which a customer vouches for a visitor, is judged like a token, and counts once. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { pass as passOf, type PassOptions } from '../../../src/client/pass.ts'
import { type Action, type Hostname, type Jti, unixSeconds } from '../../../src/domain/words.ts'
import { passId, passKey, sealPass } from '../../../src/tokens/passes.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { caller, NOW, type Operations, operations, SECRET, site } from './parts.ts'

const key = passKey(createHash('sha256').update(SECRET).digest('hex'))
let on: Operations
beforeEach(async () => {
  on = await operations({ sites: [site({ passes: true })] })
  // The generation began a while ago.
  on.at.now = NOW + 600
})
/** A genuine pass, but for what a test changes. */
const pass = (change: object = {}, by = key) =>
  sealPass(
    {
      jti: passId(),
      action: 'sign-up' as Action,
      hostname: 'shop.example.com' as Hostname,
      issuedAt: unixSeconds(on.at.now),
      expiresAt: unixSeconds(on.at.now + 1800),
      ...change,
    },
    by,
  )
const verify = (response: string, more: object = {}) => on.verify({ secret: SECRET, response, ...more }, caller())

test('is accepted once, with the threshold as its score, and the log says that it was one', async () => {
  const from = caller()
  const response = pass()
  const verdict = await on.verify({ secret: SECRET, response, action: 'sign-up', remoteip: '198.51.100.7' }, from)
  expect(verdict).toMatchObject({
    accepted: true,
    scoreThreshold: 0.5,
    claims: { action: 'sign-up', hostname: 'shop.example.com', sealed: { decision: { score: 0.5 } } },
  })
  expect(from.notes).toMatchObject({ vouched: true, score: 0.5 })
  expect(await verify(response)).toEqual({ accepted: false, code: 'timeout-or-duplicate' })
})
test('at once, twice: one success', async () => {
  const response = pass()
  const verdicts = await Promise.all(Array.from({ length: 10 }, () => verify(response)))
  expect(verdicts.filter(({ accepted }) => accepted)).toHaveLength(1)
})
test('the same request with the same idempotency_key gets the same verdict', async () => {
  const again = { response: pass(), idempotency_key: '018f4e6a-7b1c-7def-8123-456789abcdef' }
  for (const _ of [1, 2]) expect(await verify(again.response, again)).toMatchObject({ accepted: true })
})
test('of another action is action-mismatch, and is used up', async () => {
  const response = pass()
  expect(await verify(response, { action: 'log-in' })).toMatchObject({ code: 'action-mismatch' })
  expect(await verify(response)).toMatchObject({ code: 'timeout-or-duplicate' })
})

const INVALID = { accepted: false, code: 'invalid-input-response' }

describe('is invalid', () => {
  test.each([
    ['for a hostname that is not the site’s', () => ({ hostname: 'evil.example.net' })],
    ['for an action that cannot be', () => ({ action: 'sign up' })],
    ['from the future', () => ({ issuedAt: on.at.now + 90, expiresAt: on.at.now + 300 })],
    ['for more than a day', () => ({ expiresAt: on.at.now + 86_401 })],
    ['that ends before it begins', () => ({ issuedAt: on.at.now + 50, expiresAt: on.at.now + 20 })],
    ['with another id', () => ({ jti: 'short' as Jti })],
  ])('%s', async (_what, change) => {
    const response = pass(change())
    // An action outside of the site's list is no action of it.
    if ('action' in change()) on = await operations({ sites: [site({ passes: true, actions: ['sign-up'] })] })
    expect(await verify(response)).toEqual(INVALID)
  })
  test('by another secret', async () => {
    expect(await verify(pass({}, passKey('ab'.repeat(32))))).toEqual(INVALID)
  })
  test('where the site takes none', async () => {
    const response = pass()
    on = await operations({ sites: [site()] })
    expect(await verify(response)).toEqual(INVALID)
  })
  test('altered in any character', async () => {
    const response = pass()
    for (let at = 0; at < response.length; at += 5) {
      const altered = `${response.slice(0, at)}${response[at] === 'A' ? 'B' : 'A'}${response.slice(at + 1)}`
      expect(await verify(altered)).toEqual(INVALID)
    }
  })
  test('as a ticket or a challenge', async () => {
    const asked = { sitekey: site().sitekey, action: 'sign-up', ticket: pass() }
    expect(await faultOf(() => on.issue(asked, caller()))).toBe('invalid-input-ticket')
    const solving = { challenge: pass(), solution: 'AA', signals: {} }
    expect(await faultOf(() => on.solve(solving, caller()))).toBe('invalid-input-challenge')
  })
})

describe('is over', () => {
  const refused = { accepted: false, code: 'timeout-or-duplicate' }
  test('when its minutes have passed', async () => {
    const response = pass()
    on.at.now += 1806
    expect(await verify(response)).toEqual(refused)
  })
  test('where the ledger’s generation is not older: it may have been used, and the entry be lost', async () => {
    on.at.now = NOW
    expect(await verify(pass())).toEqual(refused)
    // A customer's clock that is a minute ahead gains nothing.
    expect(await verify(pass({ issuedAt: NOW + 59 }))).toEqual(refused)
  })
})

describe('of the client library', () => {
  const options: PassOptions = { secret: SECRET, action: 'sign-up', hostname: 'Shop.Example.com' }
  test('is the service’s own', async () => {
    const now = Math.floor(Date.now() / 1000)
    // The ledger's clock is set back to ten minutes ago: a generation begins there.
    on.at.now = now - 600
    on.ledger.generation(passId())
    on.at.now = now
    expect(await verify(await passOf(options))).toMatchObject({ accepted: true })
  })
  test.each([
    [{ secret: undefined }, /secret/],
    [{ secret: '' }, /secret/],
    [{ action: 'sign up' }, /action/],
    [{ hostname: 'https://shop.example.com' }, /hostname/],
    [{ minutes: 0 }, /minutes/],
    [{ minutes: 1441 }, /minutes/],
    [{ minutes: NaN }, /minutes/],
  ])('wants right options: %j', async (change, says) => {
    await expect(passOf({ ...options, ...change } as PassOptions)).rejects.toThrow(says)
  })
})
