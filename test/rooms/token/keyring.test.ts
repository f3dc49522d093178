import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { keyring, newKey, readKeyringFile } from '../../../src/token/keyring.ts'

const folder = mkdtempSync(join(tmpdir(), 'hv-keyring-'))
const good = newKey(unixSeconds(1_800_000_000))

function file(content: string, mode = 0o600): string {
  const path = join(folder, `${Math.random()}.json`)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}
const set = (...keys: unknown[]): string => JSON.stringify({ keys })

test('a keyring is read as it was written, newest first', () => {
  const older = newKey(unixSeconds(1))
  expect(readKeyringFile(file(set(good, older)))).toEqual([good, older])
})

test.each([
  { when: 'it is missing', path: join(folder, 'none.json'), says: /no such keyring.*hv keygen/ },
  { when: 'others can read it', path: file(set(good), 0o644), says: /others on this machine can read.*chmod/ },
  { when: 'it is not JSON', path: file('{'), says: /is not JSON/ },
  { when: 'it has no keys', path: file('{"keys":[]}'), says: /at least one key/ },
  { when: 'it is null', path: file('null'), says: /at least one key/ },
  { when: 'a key is short', path: file(set({ ...good, k: 'AAECAwQFBgcICQ' })), says: /keys\[0\] is weak/ },
  { when: 'a key is all zeros', path: file(set({ ...good, k: 'A'.repeat(43) })), says: /keys\[0\] is weak/ },
  { when: 'a key is of another kind', path: file(set({ ...good, kty: 'RSA' })), says: /"kty": "oct"/ },
  { when: 'a key is not base64url', path: file(set({ ...good, k: `${good.k}=` })), says: /base64url/ },
  { when: 'a kid is not one', path: file(set({ ...good, kid: '../x' })), says: /"kid"/ },
  { when: 'a moment is missing', path: file(set({ ...good, nbf: undefined })), says: /"nbf"/ },
  {
    when: 'a kid comes twice',
    path: file(set(good, { ...newKey(unixSeconds(1)), kid: good.kid })),
    says: /keys\[1\] repeats/,
  },
  { when: 'a key comes twice', path: file(set(good, { ...good, kid: 'other' })), says: /keys\[1\] repeats/ },
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

test('a clock a little behind the only key does not stop the service', async () => {
  const ring = keyring([good])
  expect(ring.activeAt(unixSeconds(good.nbf - 30)).kid).toBe(good.kid)
  expect(ring.byKid('nobody')).toBeUndefined()
})
