/**
 * What do tokens cost by themselves? Sealing and opening, one after the other and 64 at a time; and opening with a key
 * that is imported once beside a key of bytes, in turns. In this process, on one core.
 *
 *     npm run bench -- tokens [--quick]
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { jwtVerify, SignJWT } from 'jose'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'
import { median, rounds, table } from './harness/rounds.mjs'

const { jwsTokens } = await import(join(ROOT, 'dist/token/tokens.js'))
const { keyring, newKey } = await import(join(ROOT, 'dist/token/keyring.js'))
const quick = process.argv.includes('--quick')
const [COUNT, TIMES] = quick ? [3, 2000] : [9, 10_000]

const now = Math.floor(Date.now() / 1000)
const keys = keyring([newKey(now - 60)])
const tokens = jwsTokens({ keyring: keys, issuer: 'bench', clock: { now: () => now } })
const claims = {
  jti: randomBytes(16).toString('base64url'),
  sitekey: 'hv_site_benchmark',
  hostname: 'shop.example.com',
  action: 'sign-up',
  cdata: undefined,
  generation: randomBytes(16).toString('base64url'),
  challengedAt: now,
  issuedAt: now,
  expiresAt: now + 600,
  keepUntil: now + 1260,
  sealed: {
    decision: { model: 1, weights: '', score: 0.9, contributions: [] },
    address: tokens.markAddress('203.0.113.9'),
  },
}
const response = tokens.sealResponse(claims)
const bytes = randomBytes(32)
const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
const plain = await new SignJWT({ jti: claims.jti, gen: claims.generation })
  .setProtectedHeader({ alg: 'HS256' })
  .sign(bytes)

const contenders = [
  { name: 'seal a response token', run: () => tokens.sealResponse(claims) },
  { name: 'open a response token', run: () => tokens.openResponse(response, claims.sitekey, now) },
  { name: 'jose alone, key imported once', run: () => jwtVerify(plain, imported, { algorithms: ['HS256'] }) },
  { name: 'jose alone, key of bytes', run: () => jwtVerify(plain, bytes, { algorithms: ['HS256'] }) },
]

/** CPU microseconds a call. */
async function measure(run, atOnce) {
  const before = process.cpuUsage()
  for (let done = 0; done < TIMES; done += atOnce) await Promise.all(Array.from({ length: atOnce }, run))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TIMES
}

const rows = []
const figures = {}
for (const atOnce of [1, 64]) {
  await rounds(1, contenders, ({ run }) => measure(run, atOnce))
  const results = await rounds(COUNT, contenders, ({ run }) => measure(run, atOnce))
  for (const [name, each] of results) {
    rows.push([name, atOnce, median(each).toFixed(1)])
    figures[`${name}, ${atOnce} at a time`] = Number(median(each).toFixed(1))
  }
}
writeResult(
  'tokens',
  `# What tokens cost

${inWords('npm run bench -- tokens', machine())}
CPU of the whole process, its pool of threads included; medians of ${COUNT} rounds of ${TIMES.toLocaleString('en')} calls, in turns. A response token has ${response.length} characters.

${table(['', 'at a time', 'CPU µs'], rows)}
`,
  figures,
  quick,
)
