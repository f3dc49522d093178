/** What is kept is one secret; what is used is a key for each purpose. docs/design/threats.md#t13 and docs/design/threats.md#t28 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import {
  type Jwk,
  keyring,
  KeyringError,
  newKey,
  readKeyringFile,
  type SigningKey,
} from '../../../src/token/keyring.ts'

const jwk = newKey(unixSeconds(100))
const folder = mkdtempSync(join(tmpdir(), 'hv-keyring-'))
function file(...keys: unknown[]): string {
  const path = join(folder, `${randomBytes(6).toString('hex')}.json`)
  writeFileSync(path, JSON.stringify({ keys }), { mode: 0o600 })
  return path
}
/** RFC 5869, with our labels; computed here a second time, so that a release never changes them by accident. */
const derived = (purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(jwk.k, 'base64url'), '', `human-verification/1/${purpose}`, 32))

test.each(['challenge', 'response', 'address', 'positions', 'behaviour', 'proof'] as const)(
  'the key of %s is HKDF under its own name',
  async (purpose) => {
    const key = keyring([jwk]).byKid(jwk.kid) as SigningKey
    expect(key[purpose]).toEqual(derived(purpose))
  },
)
test('the key of seal too, as a KeyObject', () => {
  const { seal } = keyring([jwk]).byKid(jwk.kid) as SigningKey
  expect(seal.export()).toEqual(derived('seal'))
})
describe('which key seals', () => {
  const keys = [10, 30, 20].map((from) => newKey(unixSeconds(from)))
  test.each([
    [5, 10],
    [10, 10],
    [19, 10],
    [20, 20],
    [29, 20],
    [30, 30],
    [1000, 30],
  ])('at %i it is the one from %i on, in whatever order they are kept', async (now, from) => {
    for (const order of [keys, keys.toReversed()]) {
      expect(keyring(order).activeAt(unixSeconds(now)).activeFrom).toBe(from)
    }
  })
  test('all are there, newest first', async () => {
    expect(
      keyring(keys)
        .all()
        .map(({ activeFrom }) => activeFrom),
    ).toEqual([30, 20, 10])
  })
})

const refusal = (...keys: unknown[]): unknown => {
  try {
    return readKeyringFile(file(...keys))
  } catch (error) {
    return error
  }
}

describe('a keyring file', () => {
  test.each<[string, object, RegExp]>([
    ['another algorithm', { alg: 'HS512' }, /"alg": "HS256"/],
    ['a kid that is a number', { kid: 12_345 }, /"kid"/],
    ['a kid with a good beginning', { kid: 'good/../x' }, /"kid"/],
    ['a kid of 13', { kid: 'k'.repeat(13) }, /"kid"/],
    ['an empty kid', { kid: '' }, /"kid"/],
    ['a key that is a number', { k: 5 }, /base64url/],
    ['a key of 31 bytes', { k: randomBytes(31).toString('base64url') }, /is weak: wants at least 256 bits/],
    ['a key of seven different characters', { k: `${'ABCDEFG'.repeat(6)}A` }, /is weak: hardly any character/],
    ['a moment that is a text', { nbf: '100' }, /"nbf"/],
    ['half a moment', { nbf: 1.5 }, /"nbf"/],
  ])('with %s is refused', (_what, change, says) => {
    const error = refusal({ ...jwk, ...change })
    expect(error).toBeInstanceOf(KeyringError)
    expect((error as KeyringError).name).toBe('KeyringError')
    expect((error as KeyringError).message).toMatch(says)
  })
  test.each<[string, Partial<Jwk>]>([
    ['a kid of 12', { kid: 'k'.repeat(12) }],
    ['a key of eight different characters', { k: `${'ABCDEFGH'.repeat(5)}ABE` }],
    ['a moment long ago', { nbf: 0 }],
  ])('with %s is read', (_what, change) => expect(refusal({ ...jwk, ...change })).toEqual([{ ...jwk, ...change }]))
  test('that is a folder cannot be read, and says so', () => {
    expect(() => readKeyringFile(mkdtempSync(join(tmpdir(), 'hv-keyring-')))).toThrow(/cannot be read \(EISDIR\)/)
  })
})
