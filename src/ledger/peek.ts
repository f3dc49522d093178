import type { Generation, Jti, UnixSeconds } from '../domain/words.ts'
import { bucketKey } from './buckets.ts'
import type { RedisLink } from '../redis/link.ts'
import { GENERATION_KEY } from './script.ts'

/** Reads the generation in force and whether an entry exists; changes nothing. KEYS: the generation hash, the bucket. */
const PEEK_SCRIPT = `
local generation = redis.call('HMGET', KEYS[1], 'g')[1]
return {generation or '', redis.call('HMGET', KEYS[2], ARGV[1])[1] and 'taken' or 'free'}
`

/** The claims of a response token that say where its entry lies. */
export interface Peeked {
  readonly jti: Jti
  readonly generation: Generation
  /** Unix seconds. */
  readonly keepUntil: UnixSeconds
}

/**
 * Looks whether a response token could still be consumed, without consuming it. For an operator's eyes only:
 * by the time the answer is read, it may be another. No verdict is ever made of it.
 *
 * @throws {Error} when Redis gives no answer within a second.
 */
export async function peek(link: RedisLink, token: Peeked): Promise<'free' | 'taken' | 'stale'> {
  const prefix = link.prefixFor(token.jti)
  const keys = [`${prefix}${GENERATION_KEY}`, bucketKey(prefix, { kind: 'response', ...token })]
  const answer = await link.evaluate(PEEK_SCRIPT, keys, [token.jti], { budgetMs: 1000, retry: true })
  const [inForce, entry] = answer as [string, 'free' | 'taken']
  return inForce === token.generation ? entry : 'stale'
}
