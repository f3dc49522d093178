/** Whatever arrives, a request parser hands on a request as documented or throws a documented fault; a token opener opens nothing but ours. */
import { expect, test } from '@jest/globals'
import {
  anything,
  array,
  assert,
  asyncProperty,
  base64String,
  constantFrom,
  jsonValue,
  oneof,
  property,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check'
import { Fault } from '../../../src/domain/codes.ts'
import { isExpired } from '../../../src/domain/time.ts'
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { type Fields, readFields } from '../../../src/http/body.ts'
import { parser } from '../../../src/http/requests.ts'
import { OPERATIONS } from '../../../src/wire.ts'
import { keyring, newKey } from '../../../src/tokens/keyring.ts'
import { jwtTokens } from '../../../src/tokens/tokens.ts'

const RUNS = { numRuns: 1000 }
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/json;;',
  'APPLICATION/JSON',
]
const NAMES = [
  'secret',
  'response',
  'remoteip',
  'action',
  'sitekey',
  'cdata',
  'challenge',
  'solution',
  'signals',
  'idempotency_key',
  '__proto__',
  'constructor',
  'secret[]',
  '',
]
const PARSERS = { challenge: parser('challenge'), solve: parser('solve'), siteverify: parser('siteverify') }

/** What came of it: a value, or the fault. @throws whatever else was thrown. */
function outcome<T>(does: () => T): T | Fault {
  try {
    return does()
  } catch (error) {
    if (error instanceof Fault && error.status >= 400 && error.status < 500) return error
    throw error
  }
}

/** What a repeated name makes of the fields: `bad-request`. */
const once = (written: readonly (readonly [string, unknown])[]): unknown =>
  new Set(written.map(([name]) => name)).size < written.length ? 'bad-request' : sorted(written)
const said = (fields: Fields | Fault): unknown => (fields instanceof Fault ? fields.codes.join() : sorted([...fields]))
/** JSON puts names that are numbers first. */
const sorted = (pairs: readonly (readonly [string, unknown])[]): unknown =>
  pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value])

const isWrong = ([name, given]: [string, unknown]): boolean =>
  name === 'signals' ? typeof given !== 'object' || given === null : typeof given !== 'string' || given === ''

test('any bytes of any type are fields, or a fault', () => {
  const text = oneof(
    string({ unit: 'binary' }),
    string().map((each) => `{"a":${each}}`),
    jsonValue().map((each) => JSON.stringify(each)),
  )
  const bytes = oneof(
    uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
    text.map((each) => Buffer.from(each)),
  )
  assert(
    property(constantFrom(undefined, ...TYPES), bytes, (type, body) => {
      const fields = outcome(() => readFields(type, body))
      expect(fields instanceof Fault || fields instanceof Map).toBe(true)
    }),
    RUNS,
  )
})

test('a form is read as it was written, each name once', () => {
  const pairs = array(tuple(string({ unit: 'grapheme' }), string({ unit: 'grapheme' })), { maxLength: 8 })
  assert(
    property(pairs, (written) => {
      const body = Buffer.from(written.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'))
      const fields = outcome(() => readFields('application/x-www-form-urlencoded', body))
      expect(said(fields)).toEqual(once(written))
    }),
    RUNS,
  )
})

test('a JSON object is read as it was written, each name once', () => {
  const members = array(tuple(oneof(constantFrom(...NAMES), string({ unit: 'binary' })), jsonValue({ maxDepth: 2 })), {
    maxLength: 6,
  })
  assert(
    property(members, (written) => {
      const text = `{${written.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
      const fields = outcome(() => readFields('application/json', Buffer.from(text)))
      const through = written.map(([name, value]) => [name, JSON.parse(JSON.stringify(value)) as unknown] as const)
      expect(said(fields)).toEqual(once(through))
    }),
    RUNS,
  )
})

test.each(Object.entries(PARSERS))(
  '%s: any fields are a request whose members are what they should be, or a fault',
  (operation, parse) => {
    const value = oneof(
      string(),
      anything({ withNullPrototype: true, withBigInt: false }),
      constantFrom('127.0.0.1', '{}', 'sign-up'),
    )
    assert(
      property(array(tuple(constantFrom(...NAMES), value), { maxLength: 8 }), (written) => {
        const request = outcome(() => (parse as (fields: Fields) => object)(new Map(written)))
        if (request instanceof Fault) return
        // What the operation does not know is let through and read by nobody.
        const own = Object.keys(OPERATIONS[operation as keyof typeof OPERATIONS].request.properties)
        const known = Object.entries(request).filter(([name, given]) => own.includes(name) && given !== undefined)
        expect(known.filter(isWrong)).toEqual([])
      }),
      RUNS,
    )
  },
)

test('no text, however close to a token, opens; only what we signed does', async () => {
  const now = unixSeconds(1_800_000_000)
  const tokens = jwtTokens({ keyring: keyring([newKey(now)]), issuer: 'i', clock: { now: () => now } })
  const site = 'hv_site_shop0000' as Sitekey
  const claims = {
    jti: 'A'.repeat(22),
    sitekey: site,
    hostname: 'a.example',
    action: 'a',
    generation: 'G'.repeat(22),
    challengedAt: now,
    issuedAt: now,
    expiresAt: now + 120,
    keepUntil: now + 300,
  }
  const sealed = {
    decision: { score: 0.9, contributions: [], rule: undefined },
    address: undefined,
  }
  const genuine = (await tokens.signResponse({ ...claims, sealed } as never)).split('.')
  const header = record({
    alg: constantFrom('HS256', 'none', 'HS512'),
    typ: constantFrom('response+jwt', 'JWT'),
    kid: string(),
  })
  const spelled = oneof(header, jsonValue({ maxDepth: 2 })).map((each) =>
    Buffer.from(JSON.stringify(each)).toString('base64url'),
  )
  const part = (i: number) =>
    oneof(constantFrom(genuine[i]!), constantFrom(genuine[i]!), spelled, base64String(), string({ unit: 'binary' }))
  await assert(
    asyncProperty(tuple(part(0), part(1), part(2)), async (parts) => {
      const opened = await tokens.openResponse(parts.join('.'), site, now)
      expect(typeof opened === 'object').toBe(parts.join('.') === genuine.join('.'))
      expect(await tokens.openChallenge(parts.join('.'), now)).toBe('invalid')
    }),
    RUNS,
  )
})

test('a moment that is not a number is over, whatever the token says', () => {
  for (const now of [Number.NaN, undefined, Infinity]) expect(isExpired(unixSeconds(5), now as never, 0)).toBe(true)
})
