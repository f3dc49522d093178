import type { Generation, Jti } from '../domain/words.ts'
import type { RedisLink } from './redis-link.ts'

/** Reads the generation in force and whether an entry exists; changes nothing. KEYS: the generation hash, the entry. */
const PEEK_SCRIPT = `
return {redis.call('HMGET', KEYS[1], 'g')[1] or '', redis.call('GET', KEYS[2]) and 'taken' or 'free'}
`

/**
 * Looks whether a response token could still be consumed, without consuming it. For an operator's eyes only:
 * by the time the answer is read, it may be another. No verdict is ever made of it.
 *
 * @throws {Error} when Redis gives no answer within a second.
 */
export async function peek(link: RedisLink, jti: Jti, generation: Generation): Promise<'free' | 'taken' | 'stale'> {
  const prefix = link.prefixFor(jti)
  const keys = [`${prefix}gen`, `${prefix}t:${jti}`]
  const answer = await link.evaluate(PEEK_SCRIPT, keys, [], { budgetMs: 1000, retry: true })
  const [inForce, entry] = answer as [string, 'free' | 'taken']
  return inForce === generation ? entry : 'stale'
}
