import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { token } from '../../../src/cli/token.ts'
import type { ResponseClaims } from '../../../src/domain/response.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import type { AttemptId } from '../../../src/domain/words.ts'
import { redisLedger } from '../../../src/ledger/redis.ts'
import { type RedisLink, redisLink } from '../../../src/redis/link.ts'
import type { Ledger } from '../../../src/ports/stores.ts'
import type { Tokens } from '../../../src/ports/tokens.ts'
import { keyring, newKey } from '../../../src/token/keyring.ts'
import { DEFAULT_ISSUER, jwsTokens } from '../../../src/token/tokens.ts'
import { anyJti, keepLog } from '../../support/ledger-contract.ts'
import { startRedis } from '../../support/redis.ts'

const now = unixSeconds(Math.floor(Date.now() / 1000))
const folder = mkdtempSync(join(tmpdir(), 'hv-token-'))
const file = join(folder, 'config.yaml')
let redis: Awaited<ReturnType<typeof startRedis>>
let link: RedisLink
let ledger: Ledger
let tokens: Tokens

beforeAll(async () => {
  redis = await startRedis()
  const key = newKey(now)
  writeFileSync(join(folder, 'keyring.json'), JSON.stringify({ keys: [key] }))
  chmodSync(join(folder, 'keyring.json'), 0o600)
  writeFileSync(
    file,
    `version: 1\nkeyring: keyring.json\nredis: {url: ${redis.url}}\nsites:\n  - sitekey: hv_site_testshop\n    hostnames: [shop.example.com]\n    secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]\n`,
  )
  tokens = jwsTokens({ keyring: keyring([key]), issuer: DEFAULT_ISSUER, clock: { now: () => now } })
  const log = keepLog()
  link = redisLink({ url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }, { log })
  ledger = redisLedger(link, { random: { id: () => 'G'.repeat(22) }, log })
  await ledger.probe()
})
afterAll(async () => {
  await ledger.close()
  await link.close()
  await redis.remove()
})

const claims = (change: object = {}): Omit<ResponseClaims, 'kid'> =>
  ({
    jti: 'AAAAAAAAAAAAAAAAAAAAAA',
    sitekey: 'hv_site_testshop',
    hostname: 'shop.example.com',
    action: 'sign-up',
    cdata: undefined,
    generation: ledger.generation(anyJti),
    challengedAt: now,
    issuedAt: now,
    expiresAt: now + 120,
    keepUntil: now + 780,
    sealed: {
      decision: { model: 1, score: 0.77, contributions: [{ id: 10, value: 1.2 }], weights: '', rule: undefined },
      address: undefined,
    },
    ...change,
  }) as unknown as Omit<ResponseClaims, 'kid'>

async function hvToken(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), env: {}, cwd: folder }
  const code = await token.run(args, { ...io, now: () => now } as never)
  return {
    code,
    err: err.join('\n'),
    said: out[0]?.startsWith('{') ? (JSON.parse(out[0]) as Record<string, unknown>) : out.join('\n'),
  }
}

test('a response token: its claims, its decision in words, and that it would be accepted; it is not consumed', async () => {
  const text = tokens.sealResponse(claims())
  for (let i = 0; i < 2; i++) {
    const { code, said } = await hvToken(text, '--config', file)
    expect(code).toBe(0)
    expect(said).toMatchObject({
      kind: 'response',
      hostname: 'shop.example.com',
      decision: { model: 1, score: 0.77, contributions: [{ name: 'trusted-input', value: 1.2 }] },
      would_be: expect.stringMatching(/^accepted/),
    })
  }
})

test('a consumed one would be refused', async () => {
  const spent = claims({ jti: 'BBBBBBBBBBBBBBBBBBBBBB' })
  await ledger.consume({ ...spent, kind: 'response', attempt: 'C'.repeat(22) as AttemptId })
  expect(await hvToken(tokens.sealResponse(spent), '--config', file)).toMatchObject({
    code: 1,
    said: { would_be: 'refused: already consumed' },
  })
})

test.each([
  { when: 'it is expired', change: { expiresAt: now }, says: 'refused: expired' },
  {
    when: 'it is of another generation',
    change: { generation: 'X'.repeat(22) },
    says: 'refused: of another ledger generation',
  },
  {
    when: 'its site was taken out',
    change: { sitekey: 'hv_site_gone0000' },
    says: 'refused: its site is not configured',
  },
])('one would be refused when $when', async ({ change, says }) => {
  const text = tokens.sealResponse(claims(change))
  expect(await hvToken(text, '--config', file)).toMatchObject({ code: 1, said: { would_be: says } })
})

test('one whose ledger cannot be asked from here, for want of its password file, is not judged', async () => {
  const elsewhere = join(folder, 'elsewhere.yaml')
  const redisThere = 'redis: {url: redis://hv@127.0.0.1:9/0, password_file: /nowhere/redis-password}'
  const text = readFileSync(file, 'utf8').replace(/^redis: .*$/m, redisThere)
  writeFileSync(elsewhere, text)
  expect(await hvToken(tokens.sealResponse(claims()), '--config', elsewhere)).toMatchObject({
    said: { would_be: 'unknown: the ledger cannot be reached, so nobody would accept it now' },
  })
})

test('what is not ours is not opened', async () => {
  const text = tokens.sealResponse(claims())
  for (const altered of ['x', `${text}A`, `${text.slice(0, 40)}A${text.slice(41)}`]) {
    expect(await hvToken(altered, '--config', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not a token of this keyring'),
    })
  }
})

test('called wrongly it says how', async () => {
  expect(await hvToken('--config', file)).toMatchObject({ code: 2, err: expect.stringContaining('wants TOKEN') })
  expect(await hvToken('--help')).toMatchObject({ code: 0, said: expect.stringContaining('hv token TOKEN') })
})
