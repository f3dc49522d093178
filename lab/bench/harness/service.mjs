import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash, randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './machine.mjs'
import { start } from './process.mjs'

const at = (file) => join(ROOT, 'dist', file)
const { jwtTokens } = await import(at('tokens/tokens.js'))
const { keyring, newKey } = await import(at('tokens/keyring.js'))

export const SITEKEY = 'hv_site_benchmark'
export const ORIGIN = 'https://shop.example.com'

/** What every run of the built service needs: keyring, one site, limits out of the way (they are counted all the same). */
export function setUp({ redis, level = 3, maxLevel = 8, policy = '', more = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-'))
  const secret = `hv_secret_${randomBytes(32).toString('base64url')}`
  const key = newKey(Math.floor(Date.now() / 1000) - 60)
  writeFileSync(join(folder, 'keyring.json'), JSON.stringify({ keys: [key] }), { mode: 0o600 })
  const file = join(folder, 'config.yaml')
  writeFileSync(
    file,
    `version: 1
listen: 127.0.0.1:0
ops_listen: 127.0.0.1:0
keyring: keyring.json
redis: {url: "${redis.url}"}
limits: {challenge: 100000000 per 1m, solve: 100000000 per 1m, siteverify: 100000000 per 1m, invalid_secret: 30 per 1m}
${more}sites:
  - sitekey: ${SITEKEY}
    secrets: [{sha256: ${createHash('sha256').update(secret).digest('hex')}}]
    hostnames: [shop.example.com]
    token_lifetime: 600s
    work: {level: ${level}, max_level: ${maxLevel}}
    ${policy}
`,
  )
  return { file, key, secret, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Node.js' own flags, as the image starts the service. */
const FLAGS = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))[1]).slice(1, -1)

/** `hv serve`, as it is built and as it is shipped. */
export async function startService({ file }, { core, node = process.execPath }) {
  const service = await start(node, [...FLAGS, at('main.js'), 'serve', '--config', file], {
    core,
    ready: /"listening"/,
  })
  return { ...service, url: JSON.parse(service.line).url }
}

/** Verifications a second that nobody reaches here, Node.js 24 on one core neither: with so many bodies no token is sent twice. */
export const MOST_A_SECOND = 26_000

/**
 * Bodies of siteverify, each with a token of its own, as `solve` would have minted them: every one of them is accepted.
 *
 * @param generation the ledger's.
 */
export async function mintBodies({ key, secret }, { count, generation }) {
  const clock = { now: () => Math.floor(Date.now() / 1000) }
  const tokens = jwtTokens({ keyring: keyring([key]), issuer: 'human-verification', clock })
  const now = clock.now()
  const bodies = []
  for (let i = 0; i < count; i++) {
    const response = await tokens.signResponse({
      jti: randomBytes(16).toString('base64url'),
      sitekey: SITEKEY,
      hostname: 'shop.example.com',
      action: 'sign-up',
      cdata: undefined,
      generation,
      challengedAt: now,
      issuedAt: now,
      expiresAt: now + 600,
      keepUntil: now + 1260,
      sealed: { decision: DECISION, address: tokens.markAddress('203.0.113.9') },
    })
    bodies.push(`secret=${secret}&response=${response}&action=sign-up`)
  }
  return bodies
}

/** A usual visit: three contributions against it. */
const DECISION = {
  score: 0.9,
  contributions: Array.from({ length: 3 }, (_, i) => ({ id: i + 1, value: -0.25 })),
}

/** The generation in force, once the service has made one. */
export async function generationOf(redis) {
  for (;;) {
    const generation = await redis.client.hget('{hv}:gen', 'g')
    if (generation) return generation
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
