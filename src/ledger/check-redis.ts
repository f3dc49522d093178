import type { RedisLink } from '../redis/link.ts'
import { CHECK_SCRIPT } from './script.ts'

/**
 * Reports whether this Redis may hold the ledger: every partition's server, and of a Cluster every node that answers, because
 * a slot may move to it. For the start of the service.
 *
 * @returns a sentence that says what to do, or undefined: it may, or it cannot be reached now
 * (then the service starts, answers 503, and the ledger asks again on every new connection).
 */
export async function checkRedis(link: RedisLink): Promise<string | undefined> {
  try {
    const refusals = link.prefixes.map((prefix) => readRefusal(link, prefix, 1000))
    const refusal = (await Promise.all(refusals)).find((sentence) => sentence !== undefined)
    if (refusal !== undefined) return refusal
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return detail.includes('NOPERM') ? `Redis refuses its user what the ledger needs: ${detail}` : undefined
  }
  for (const { node, answer } of await link.everyNode(CHECK_SCRIPT, 1000)) {
    const sentence = refusalOf(answer)
    if (sentence !== undefined) return `${node}: ${sentence}`
  }
  return undefined
}

/**
 * @param prefix of the partition whose server is asked.
 * @param budgetMs milliseconds.
 * @returns a sentence that says what to do, or undefined.
 * @throws {Error} when there is no answer.
 */
export async function readRefusal(link: RedisLink, prefix: string, budgetMs: number): Promise<string | undefined> {
  return refusalOf(
    await link.evaluate(CHECK_SCRIPT, [`${prefix}check`], [], { budgetMs, retry: true, whileHung: true }),
  )
}

function refusalOf(answer: unknown): string | undefined {
  const [identity, policy, forbidden] = answer as [string, string, string]
  if (identity === '') {
    return 'Redis does not show its master_replid (INFO replication), so lost entries would go unnoticed: allow its user INFO, or use another server'
  }
  // Not readable at some providers. An evicted bucket is noticed all the same, when one of its tokens comes.
  if (policy !== '' && policy !== 'noeviction') {
    return `Redis may drop entries of the ledger when its memory is full: set maxmemory-policy to noeviction (it is ${policy})`
  }
  if (forbidden !== '') {
    return `Redis refuses its user what the ledger needs: allow it +${forbidden.toLowerCase()}; docs/operate/redis.md, "One server", has the whole line`
  }
  return undefined
}
