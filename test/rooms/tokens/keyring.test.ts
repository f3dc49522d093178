/** One secret is kept; a key for each purpose is used. docs/design/threats.md#t13 and docs/design/threats.md#t28 */
import { createHmac, hkdfSync, webcrypto } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import type { Meters } from '../../../src/domain/observing.ts'
import { keyring, newKey, readKeyringFile, reloadableKeyring } from '../../../src/tokens/keyring.ts'
import { newFolder } from '../../support/close-later.ts'
import { keepLog } from '../../support/ledger-contract.ts'

const folder = newFolder()
const NOW = unixSeconds(2_000_000_000)
const good = newKey(unixSeconds(1_800_000_000))

function file(content: string, mode = 0o600): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}
const set = (...keys: unknown[]): string => JSON.stringify({ keys })

test('a keyring is read as it was written, newest first; a byte order mark is ignored', () => {
  const keys = [good, newKey(unixSeconds(1))]
  for (const mark of ['', '\uFEFF'])
    expect(readKeyringFile(file(mark + set(...keys)))).toEqual(keys)
})

test.each([
  {
    when: 'it is missing',
    path: join(folder, 'none.json'),
    says: /(\S+): no such keyring.* --keyring \1$/,
  },
  { when: 'it cannot be read', path: folder, says: /cannot be read \(EISDIR\)/ },
  {
    when: 'others can read it',
    path: file(set(good), 0o644),
    says: /others on this machine can read.*chmod/,
  },
  {
    when: 'a mounted secret is open to others',
    path: file(set(good), 0o444),
    says: /Docker: mode.*defaultMode/,
  },
  { when: 'it is not JSON', path: file('{'), says: /is not JSON/ },
  { when: 'it has no keys', path: file('{"keys":[]}'), says: /at least one key/ },
  { when: 'it is null', path: file('null'), says: /at least one key/ },
  {
    when: 'a key is short',
    path: file(set({ ...good, k: good.k.slice(0, 40) })),
    says: /keys\[0\] is weak/,
  },
  {
    when: 'a key is all zeros',
    path: file(set({ ...good, k: 'A'.repeat(43) })),
    says: /keys\[0\] is weak/,
  },
  {
    when: 'a key is of another kind',
    path: file(set({ ...good, kty: 'RSA' })),
    says: /"kty": "oct"/,
  },
  {
    when: 'a key has another algorithm',
    path: file(set({ ...good, alg: 'HS512' })),
    says: /"alg": "HS256"/,
  },
  {
    when: 'a key is not base64url',
    path: file(set({ ...good, k: `${good.k}=` })),
    says: /base64url/,
  },
  { when: 'a key is a number', path: file(set({ ...good, k: 7 })), says: /base64url/ },
  { when: 'a kid is not one', path: file(set({ ...good, kid: '../x' })), says: /"kid"/ },
  { when: 'a kid is too long', path: file(set({ ...good, kid: 'k'.repeat(13) })), says: /"kid"/ },
  { when: 'a kid is a number', path: file(set({ ...good, kid: 7 })), says: /"kid"/ },
  { when: 'a moment is missing', path: file(set({ ...good, nbf: undefined })), says: /"nbf"/ },
  {
    when: 'a kid comes twice',
    path: file(set(good, { ...newKey(NOW), kid: good.kid })),
    says: /keys\[1\] repeats/,
  },
  {
    when: 'a key comes twice',
    path: file(set(good, { ...good, kid: 'other' })),
    says: /keys\[1\] repeats/,
  },
])('a keyring is refused when $when, and its key material is not shown', ({ path, says }) => {
  const said = messageOf(() => readKeyringFile(path))
  expect(said).toMatch(says)
  expect(said).toContain(path)
  expect(said).not.toContain(good.k.slice(0, 12))
})

function messageOf(act: () => unknown): string {
  try {
    return `no error: ${String(act())}`
  } catch (error) {
    return String(error)
  }
}

test('a clock slightly behind the only key does not stop the service', async () => {
  const ring = keyring([good])
  expect(ring.activeAt(unixSeconds(good.nbf - 30)).kid).toBe(good.kid)
  expect(ring.byKid('nobody')).toBeUndefined()
})

test('a reload reads the file again; a broken file leaves the old keys in force, and is reported', () => {
  const path = file(set(good))
  const log = keepLog()
  const reloads: unknown[] = []
  const meters = { reloaded: (...reload) => void reloads.push(reload) } as Partial<Meters> as Meters
  const ring = reloadableKeyring(path, { log, meters, clock: { now: () => good.nbf as never } })
  expect(ring.activeAt(unixSeconds(good.nbf)).kid).toBe(good.kid)
  const next = newKey(unixSeconds(good.nbf + 60))
  writeFileSync(path, set(next, good))
  for (let i = 0; i < 2; i++) ring.reload()
  writeFileSync(path, '{')
  ring.reload()
  expect([ring.activeAt(unixSeconds(next.nbf)).kid, ring.byKid(good.kid)!.kid]).toEqual([
    next.kid,
    good.kid,
  ])
  expect(reloads).toEqual([['keyring'], ['keyring'], ['keyring', `${path}: is not JSON`]])
  expect(log.lines).toEqual([
    'info keyring reloaded {"detail":"2 keys"}',
    'info nothing has changed: the keyring has the same keys {"detail":"2 keys"}',
    `error keyring not reloaded; the old one stays in force {"detail":"${path}: is not JSON"}`,
  ])
})

test('without a file a key is made at start, and stays', () => {
  const ring = reloadableKeyring(undefined, { clock: { now: () => good.nbf as never } } as never)
  const made = ring.activeAt(unixSeconds(good.nbf))
  ring.reload()
  expect([ring.byKid(made.kid), made.activeFrom]).toEqual([made, good.nbf])
})

const hkdf = (secret: string, purpose: string): ArrayBuffer =>
  hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', `human-verification/1/${purpose}`, 32)

test.each(['sealed', 'address', 'positions', 'proof'] as const)(
  'the key of %s is HKDF under its own name',
  (purpose) =>
    expect(keyring([good]).byKid(good.kid)![purpose].export()).toEqual(
      Buffer.from(hkdf(good.k, purpose)),
    ),
)

test('each kind of token has a key of its own, which cannot be read', async () => {
  const { hs256 } = keyring([good]).byKid(good.kid)!
  for (const kind of ['challenge', 'response', 'ticket']) {
    const key = await hs256(kind)
    const expected = createHmac('sha256', Buffer.from(hkdf(good.k, kind)))
      .update('text')
      .digest()
    expect(Buffer.from(await webcrypto.subtle.sign('HMAC', key, Buffer.from('text')))).toEqual(
      expected,
    )
    expect(key).toMatchObject({ extractable: false, usages: ['sign', 'verify'] })
  }
})
