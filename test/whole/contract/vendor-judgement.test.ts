/**
 * docs/api/api.md, "The paths of other services": whatever is sent, a shape judges as the plain path does, and a token counts once on
 * all paths together. Each row makes one request, anew for each path.
 */
import { expect, test } from '@jest/globals'
import request from 'supertest'
import { SHAPES } from '../../../src/http/vendor-shapes.ts'
import { hashSecret } from '../../../src/settings/secrets.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { SECRET, site, SITEKEY, testService } from '../../support/app.ts'
import { pass, PASS_KEY } from '../../support/pass.ts'
import { BROWSER, token } from '../../support/visitor.ts'

const secretOf = (letter: string) => `hv_secret_${letter.repeat(43)}`
const [OTHER_SECRET, SECOND, ENDED] = ['O', 'S', 'E'].map(secretOf) as [string, string, string]
const OTHER = 'hv_site_othershop' as typeof SITEKEY

let now = Date.now()
const secrets = [
  { sha256: hashSecret(SECRET), notAfter: undefined },
  { sha256: hashSecret(SECOND), notAfter: unixSeconds(Math.floor(now / 1000) + 1_000_000) },
  { sha256: hashSecret(ENDED), notAfter: unixSeconds(Math.floor(now / 1000)) },
]
const service = await testService({
  nowMs: () => now,
  trustedProxies: ['127.0.0.1/32'],
  siteList: [
    site({ secrets, passKeys: [PASS_KEY], stepUp: 'ticket' }),
    site({ sitekey: OTHER }, OTHER_SECRET),
  ],
})
const { ask } = service
const BOT = { ...ask, signals: {}, headers: {} }
const KEY = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'

/** The path that is no shape, and the name and path of every shape. */
const PLAIN = '/api/v1/siteverify'
const PATHS = Object.entries(SHAPES).map(
  ([name, { path }]) => [name, path.replace('{sitekey}', SITEKEY)] as const,
)

type Fields = Readonly<Record<string, string | null>>
const verify = async (path: string, fields: Fields) => {
  const { body } = await request(service.base).post(path).send(fields)
  const { success, 'error-codes': codes = [] } = body as {
    success: boolean
    'error-codes'?: string[]
  }
  // As hCaptcha spells it.
  const spelled = codes.map((code) =>
    code === 'invalid-or-already-seen-response' ? 'timeout-or-duplicate' : code,
  )
  return { success, codes: spelled }
}

const seconds = () => Math.floor(now / 1000)
/** A token of a visitor with this address. */
const from = (address: string) =>
  token({ ...ask, headers: { ...BROWSER, 'x-forwarded-for': address } })
/** A token that a path has judged already. */
const used = async (fields: Fields = {}) => {
  const response = await token(ask)
  await verify(PLAIN, { secret: SECRET, response, ...fields })
  return response
}
const made = async (response: string | Promise<string>, fields: Fields = {}): Promise<Fields> => ({
  secret: SECRET,
  response: await response,
  ...fields,
})

/** What a request is about, whether the plain path accepts it, and how it is made. */
const REQUESTS: readonly [what: string, codes: string, make: () => Promise<Fields>][] = [
  ['a genuine token', '', () => made(token(ask))],
  ['its action', '', () => made(token(ask), { action: 'sign-up' })],
  ['another action', 'action-mismatch', () => made(token(ask), { action: 'log-in' })],
  ['an action that is null', '', () => made(token(ask), { action: null })],
  ['its address', '', () => made(from('203.0.113.7'), { remoteip: '203.0.113.7' })],
  ['its network', '', () => made(from('203.0.113.7'), { remoteip: '203.0.113.0/24' })],
  [
    'another address',
    'remoteip-mismatch',
    () => made(from('203.0.113.7'), { remoteip: '203.0.113.8' }),
  ],
  ['an address that is none', 'bad-request', () => made(token(ask), { remoteip: 'localhost' })],
  ['a low score', 'low-score', () => made(token(BOT))],
  ['a used token', 'timeout-or-duplicate', () => made(used())],
  ['a used token, another action', 'timeout-or-duplicate', () => made(used(), { action: 'x' })],
  [
    'the same attempt again',
    '',
    () => made(used({ idempotency_key: KEY }), { idempotency_key: KEY }),
  ],
  [
    'another attempt',
    'timeout-or-duplicate',
    () => made(used({ idempotency_key: KEY }), { idempotency_key: KEY.replace('9b', '8b') }),
  ],
  ['an attempt without a name', 'timeout-or-duplicate', () => made(used({ idempotency_key: KEY }))],
  [
    'an expired token',
    'timeout-or-duplicate',
    async () => {
      const response = await token(ask)
      now += 120_000
      return made(response)
    },
  ],
  ['a pass', '', () => made(pass({}, seconds()))],
  [
    'a used pass',
    'timeout-or-duplicate',
    async () => {
      const response = await pass({}, seconds())
      await verify(PLAIN, { secret: SECRET, response })
      return made(response)
    },
  ],
  ['a pass of another site', 'invalid-input-response', () => made(pass({ aud: OTHER }, seconds()))],
  ['a pass that has expired', 'timeout-or-duplicate', () => made(pass({}, seconds() - 1801))],
  [
    'the token of another site',
    'invalid-input-response',
    () => made(token({ ...ask, sitekey: OTHER })),
  ],
  ['no token', 'missing-input-response', () => made('')],
  ['what is no token', 'invalid-input-response', () => made('x'.repeat(10_000))],
  ['a second secret', '', () => made(token(ask), { secret: SECOND })],
  ['a secret past its end', 'invalid-input-secret', () => made(token(ask), { secret: ENDED })],
  ['a wrong secret', 'invalid-input-secret', () => made(token(ask), { secret: `${SECRET}x` })],
  ['no secret', 'missing-input-secret', () => made(token(ask), { secret: '' })],
]

test.each(REQUESTS)(
  '%s: "%s", on the plain path and in every shape',
  async (_what, codes, make) => {
    const judged = { success: codes === '', codes: codes.split(' ').filter(Boolean) }
    // A pass counts only where the ledger is older than it.
    now += 2000
    for (const [name, path] of [['plain', PLAIN] as const, ...PATHS])
      expect([name, await verify(path, await make())]).toEqual([name, judged])
  },
)

test.each(PATHS)('the path of %s is exact', async (_name, path) => {
  const response = await token(ask)
  const others = [`${path}/`, `/${path}`, path.toUpperCase(), `/x/..${path}`, `/x${path}`]
  for (const other of [...others, path.replace('siteverify', '%73iteverify')])
    await request(service.base).post(other).send({ secret: SECRET, response }).expect(404)
  expect(await verify(path, { secret: SECRET, response })).toEqual({ success: true, codes: [] })
})

test('of thirty requests at once, on all paths, one is accepted', async () => {
  const fields = await made(token(ask))
  const paths = [PLAIN, ...PATHS.map(([, path]) => path)]
  const asked = Array.from({ length: 30 }, (_, i) => verify(paths[i % paths.length]!, fields))
  const refused = { success: false, codes: ['timeout-or-duplicate'] }
  const answers = await Promise.all(asked)
  expect(answers.filter(({ success }) => success)).toHaveLength(1)
  expect(answers.filter(({ success }) => !success)).toEqual(
    Array.from({ length: 29 }, () => refused),
  )
})

test('the log has no secret and no token of any path', async () => {
  const fields = await made(token(ask))
  for (const [, path] of PATHS) {
    const query = new URLSearchParams(fields as Record<string, string>).toString()
    await request(service.base).post(`${path}?${query}`).expect(200)
    await request(service.base).get(`${path}?${query}`).expect(405)
    await verify(path, fields)
  }
  const log = JSON.stringify(service.lines())
  for (const text of [SECRET, fields['response']!]) expect(log).not.toContain(text)
})
