/** docs/api/api.md, "idempotency_key": a lost answer can be asked for again, and nothing else is gained by it. */
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { seconds, type Sitekey } from '../../../src/domain/words.ts'
import { openLedger } from '../../support/ledger-on-redis.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, site, type TestService, testService } from '../../support/app.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, postPatiently as post, solved, token } from '../../support/visitor.ts'

const OTHER_SECRET = `hv_secret_${'anotherSite0'.repeat(4)}`
const V4 = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'
const V7 = '0190163d-8694-739b-aea5-966c26f8ad91'
const refused = (code: string) => ({ success: false, 'error-codes': [code] })
const DUPLICATE = refused('timeout-or-duplicate')

type Fields = Record<string, string>

/** Milliseconds since 1970, of every instance; the ledger has the clock of Redis. */
let now = Date.now()
const redis = await startRedis()
const { ledger } = openLedger({ url: redis.url }, { patient: true })
await eventually(() => ledger.probe())
let services: TestService[] = []
let response = ''

beforeEach(async () => {
  now = Date.now()
  const siteList = [
    site({ tokenLifetime: seconds(120) }),
    site({ sitekey: 'hv_site_othershop' as Sitekey }, OTHER_SECRET),
  ]
  const one = await testService({ ledger, siteList, nowMs: () => now })
  const { tokens } = one.parts
  services = [one, await testService({ ledger, tokens, siteList, nowMs: () => now })]
  response = await token({ ...one.ask, patient: true })
})

/** At one instance or the other. */
const verify = async (fields: Fields, at: 0 | 1 = 0) => {
  const asked = { secret: SECRET, response, ...fields }
  const { status, body } = await post(`${services[at]!.base}/api/v1/siteverify`, asked)
  return { status, body }
}

test.each<{ verdict: string; fields: Fields; signals?: object; body: object }>([
  { verdict: 'accepted', fields: {}, body: { success: true } },
  {
    verdict: 'accepted',
    fields: { action: 'sign-up', remoteip: '127.0.0.1' },
    body: { success: true },
  },
  { verdict: 'action-mismatch', fields: { action: 'log-in' }, body: refused('action-mismatch') },
  {
    verdict: 'remoteip-mismatch',
    fields: { remoteip: '127.0.0.2' },
    body: refused('remoteip-mismatch'),
  },
  {
    verdict: 'low-score',
    fields: {},
    signals: { automation: { webdriver: 1 } },
    body: refused('low-score'),
  },
])(
  '$verdict with $fields is said again, word for word, by any instance',
  async ({ fields, signals, body }) => {
    if (signals) response = await token({ ...services[0]!.ask, patient: true, signals })
    const keyed = { ...fields, idempotency_key: V7 }
    const first = await verify(keyed)
    expect(first).toMatchObject({ status: 200, body })
    expect(await verify(keyed, 1)).toEqual(first)
    expect(await verify(keyed)).toEqual(first)
  },
)

const FIRST = { action: 'sign-up', remoteip: '127.0.0.1', idempotency_key: V4 }
test.each<{ what: string; again: Fields }>([
  { what: 'another key', again: { ...FIRST, idempotency_key: V7 } },
  { what: 'no key', again: { action: 'sign-up', remoteip: '127.0.0.1' } },
  { what: 'an empty key, which is none', again: { ...FIRST, idempotency_key: '' } },
  { what: 'another action', again: { ...FIRST, action: 'log-in' } },
  { what: 'another address', again: { ...FIRST, remoteip: '127.0.0.2' } },
  { what: 'another spelling of the address', again: { ...FIRST, remoteip: '::ffff:127.0.0.1' } },
])('$what: timeout-or-duplicate, and the genuine repeat is honoured still', async ({ again }) => {
  const first = await verify(FIRST)
  expect(first.body).toMatchObject({ success: true })
  for (const at of [0, 1] as const)
    expect(await verify(again, at)).toEqual({ status: 200, body: DUPLICATE })
  expect(await verify(FIRST, 1)).toEqual(first)
})

test('the same key in capitals is the same key', async () => {
  const first = await verify(FIRST)
  expect(first.body).toMatchObject({ success: true })
  expect(await verify({ ...FIRST, idempotency_key: V4.toUpperCase() }, 1)).toEqual(first)
})

test('at another site the token is not even looked at, and is not burnt', async () => {
  const stranger = await verify({ ...FIRST, secret: OTHER_SECRET })
  expect(stranger).toMatchObject({
    status: 200,
    body: { 'error-codes': ['invalid-input-response'] },
  })
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  expect(await verify({ ...FIRST, secret: OTHER_SECRET })).toEqual(stranger)
})

test('another token with the same key is judged separately', async () => {
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  const [first, second] = [response, await token({ ...services[1]!.ask, patient: true })]
  response = second
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  response = first
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
})

test('another token of the same challenge with the same key: timeout-or-duplicate', async () => {
  const { ask, base } = services[0]!
  const fields = await solved({ ...ask, patient: true })
  const solve = async () => {
    const { body } = await post(`${base}/api/v1/solve`, fields, { ...BROWSER, origin: ask.origin })
    return String(body['token'])
  }
  const [first, second] = [await solve(), await solve()]
  expect(second).not.toBe(first)
  response = first
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  response = second
  for (const at of [0, 1] as const)
    expect(await verify(FIRST, at)).toEqual({ status: 200, body: DUPLICATE })
  response = first
  expect((await verify(FIRST, 1)).body).toMatchObject({ success: true })
})

test('thirty concurrent requests with one key all get the same answer; with a key each, one is accepted', async () => {
  const same = await Promise.all(
    Array.from({ length: 30 }, (_, i) => verify(FIRST, (i % 2) as 0 | 1)),
  )
  expect(new Set(same.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(same[0]!.body).toMatchObject({ success: true })
  response = await token({ ...services[0]!.ask, patient: true })
  const each = Array.from({ length: 30 }, (_, i) =>
    verify({ idempotency_key: randomUUID() }, (i % 2) as 0 | 1),
  )
  const bodies = (await Promise.all(each)).map(({ body }) => body)
  expect(bodies.filter(({ success }) => success === true)).toHaveLength(1)
})

test('when the token expires, so does the repeat', async () => {
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  now += 114_000
  expect((await verify(FIRST)).body).toMatchObject({ success: true })
  now += 12_000
  expect((await verify(FIRST)).body).toEqual(DUPLICATE)
})
