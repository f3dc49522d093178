/**
 * What do tokens cost by themselves? Signing and opening, one after the other and 64 at a time, in this process.
 *
 *     npm run bench -- tokens [--quick]
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { writeResult } from './harness/result.mjs'
import { median, rounds, table } from './harness/rounds.mjs'

const { jwtTokens } = await import(join(ROOT, 'dist/tokens/tokens.js'))
const { keyring, newKey } = await import(join(ROOT, 'dist/tokens/keyring.js'))
const { seal, unseal } = await import(join(ROOT, 'dist/tokens/sealed.js'))
const quick = process.argv.includes('--quick')
const [COUNT, TIMES] = quick ? [3, 2000] : [9, 10_000]

const now = Math.floor(Date.now() / 1000)
const keys = keyring([newKey(now - 60)])
const key = keys.activeAt(now)
const tokens = jwtTokens({ keyring: keys, issuer: 'bench', clock: { now: () => now } })
const address = tokens.markAddress('203.0.113.9')
const common = {
  jti: randomBytes(16).toString('base64url'),
  sitekey: 'hv_site_benchmark',
  hostname: 'shop.example.com',
  action: 'sign-up',
  cdata: undefined,
  generation: randomBytes(16).toString('base64url'),
  issuedAt: now,
  expiresAt: now + 600,
}
const challengeClaims = {
  ...common,
  origin: 'https://shop.example.com',
  tokenLifetime: 120,
  pow: { a: 's32.2', s: 1024, n: 18_432, b: 4000 },
  agent: 'chromium Linux 156',
  address,
}
const responseClaims = {
  ...common,
  challengedAt: now,
  keepUntil: now + 1260,
  sealed: { decision: { score: 0.9, contributions: [{ id: 3, value: -0.25 }] }, address },
}
const challenge = await tokens.signChallenge(challengeClaims)
const response = await tokens.signResponse(responseClaims)
const sealed = seal(responseClaims.sealed, key.sealed, 'response x')

const contenders = [
  { name: 'sign a challenge', run: () => tokens.signChallenge(challengeClaims) },
  { name: 'open a challenge', run: () => tokens.openChallenge(challenge, now) },
  { name: 'sign a response token', run: () => tokens.signResponse(responseClaims) },
  { name: 'open a response token', run: () => tokens.openResponse(response, common.sitekey, now) },
  { name: 'seal', run: () => seal(responseClaims.sealed, key.sealed, 'response x') },
  { name: 'unseal', run: () => unseal(sealed, key.sealed, 'response x') },
  { name: 'mark an address', run: () => tokens.markAddress('203.0.113.9') },
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
