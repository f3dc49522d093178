/** Passes as other languages make them: examples/verify has one of each, and test/published/examples/passes.test.ts runs those. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { SiteSecret } from '../../../src/domain/site.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { jwsPasses, passKey, sealPass } from '../../../src/tokens/passes.ts'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly action: string
  readonly hostname: string
  readonly minutes: number
  readonly now: number
  readonly id: string
  readonly pass: string
}
const file = new URL('../../vectors/passes.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Vector[] }

const secretOf = (secret: string): SiteSecret => ({
  sha256: createHash('sha256').update(secret).digest('hex'),
  notAfter: undefined,
})
const siteOf = (secret: string) => ({ secrets: [secretOf(secret)] }) as unknown as Parameters<typeof jwsPasses.open>[1]

describe.each(cases)('$name', ({ secret, action, hostname, minutes, now, id, pass }) => {
  const claims = { jti: id, action, hostname: hostname.toLowerCase(), issuedAt: now, expiresAt: now + minutes * 60 }

  test('is opened with the hash of the secret', () => {
    expect(jwsPasses.open(pass, siteOf(secret), unixSeconds(now))).toEqual(claims)
  })
  test('is what the service’s own code makes', () => {
    expect(sealPass(claims as never, passKey(secretOf(secret).sha256))).toBe(pass)
  })
  test('is over when its life is, and of no other secret', () => {
    expect(jwsPasses.open(pass, siteOf(secret), unixSeconds(now + minutes * 60 + 6))).toBe('expired')
    expect(jwsPasses.open(pass, siteOf(`${secret}x`), unixSeconds(now))).toBe('invalid')
  })
})
