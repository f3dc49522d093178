import type { RedisLink } from './redis-link.ts'
import { CHECK_SCRIPT } from './script.ts'

/**
 * Whether this Redis may hold the ledger. For the start of the service.
 *
 * @returns a sentence that says what to do, or undefined: it may, or it cannot be reached now
 * (then the service starts, answers 503, and the ledger asks again on every new connection).
 */
export async function checkRedis(link: RedisLink): Promise<string | undefined> {
  try {
    return await readRefusal(link, 1000)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return detail.includes('NOPERM') ? `Redis refuses its user what the ledger needs: ${detail}` : undefined
  }
}

/**
 * @param budgetMs milliseconds.
 * @returns a sentence that says what to do, or undefined.
 * @throws {Error} when there is no answer.
 */
export async function readRefusal(link: RedisLink, budgetMs: number): Promise<string | undefined> {
  const answer = await link.evaluate(CHECK_SCRIPT, [`${link.prefix}gen`], [], { budgetMs, retry: true })
  const [identity, policy] = answer as [string, string]
  if (identity === '') {
    return 'Redis does not show its master_replid (INFO replication), so lost entries would go unnoticed: allow its user INFO, or use another server'
  }
  // Not readable at some providers: then a moved evicted_keys still moves the generation.
  if (policy !== '' && policy !== 'noeviction') {
    return `Redis may drop entries of the ledger when its memory is full: set maxmemory-policy to noeviction (it is ${policy})`
  }
  return undefined
}
