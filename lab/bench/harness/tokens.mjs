import { randomBytes } from 'node:crypto'
import { until } from '../../stand/processes.mjs'
import { ACTION, SITEKEY, tokensOf } from '../../stand/service.mjs'

/**
 * Makes bodies of siteverify, each with a token of its own, as `solve` would have minted them: every one of them is accepted.
 * `generation` may be that of a token by its id; `sites`, in turns, if there are more than one.
 */
export async function mintBodies(
  { keyring: file, secret },
  { count, generation, sites = [{ sitekey: SITEKEY, secret }] },
) {
  const tokens = await tokensOf(file)
  const now = Math.floor(Date.now() / 1000)
  const visit = {
    hostname: 'localhost',
    action: ACTION,
    cdata: undefined,
    challengedAt: now,
    issuedAt: now,
    expiresAt: now + 600,
    keepUntil: now + 1260,
    sealed: { decision: DECISION, address: tokens.hashAddress('203.0.113.9') },
  }
  const generationFor = typeof generation === 'function' ? generation : () => generation
  const mint = async (_, i) => {
    const site = sites[i % sites.length]
    const jti = randomBytes(16).toString('base64url')
    const claims = { ...visit, sitekey: site.sitekey, jti, generation: generationFor(jti) }
    const response = await tokens.signResponse(claims)
    return `secret=${site.secret}&response=${response}&action=${ACTION}`
  }
  return Promise.all(Array.from({ length: count }, mint))
}

/** A usual visit: three contributions against it. */
const DECISION = {
  score: 0.9,
  contributions: Array.from({ length: 3 }, (_, i) => ({ id: i + 1, value: -0.25 })),
}

/** The key of the ledger's generation. */
export const GENERATION = '{hv}:gen'

/** Waits for the generation in force, which the service makes. */
export const generationOf = (redis) =>
  until(() => redis.client.hget(GENERATION, 'g'), 'the generation', 10_000)
