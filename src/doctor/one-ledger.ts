import { type Ask, type Diagnosis, good, fix, reasonOf, unknown } from './diagnosis.ts'
import type { AllowedPage } from './page-side.ts'

const WAIT_MS = 5000
const CHECK = 'one ledger'
/** Challenges to ask for: enough to reach each of a few processes behind a balancer more than once. */
const CHALLENGES = 12

/**
 * Asks for some challenges and compares the ledger's generation in them. Processes that share a ledger name the same
 * generation; a generation may move once, but it never comes back, so one that does is another process's.
 *
 * @param partitionOf the partition of the ledger that holds a challenge's id: each has a generation of its own.
 */
export async function examineLedger(
  service: URL,
  ask: Ask,
  page: AllowedPage,
  partitionOf: (jti: string) => number,
): Promise<Diagnosis> {
  try {
    const generations = new Map<number, string[]>()
    for (let i = 0; i < CHALLENGES; i++) {
      const { jti, gen } = await claimsOf(service, ask, page)
      const partition = partitionOf(jti)
      generations.set(partition, [...(generations.get(partition) ?? []), gen])
    }
    if (![...generations.values()].some(comesBack)) return good(CHECK, `${CHALLENGES} challenges name the same ledger`)
    return fix(
      CHECK,
      'challenges name different ledgers in turn: processes behind this address do not share one, and refuse each other’s visitors',
      'name one redis for all of them (docs/operate/redis.md), with the same ledger.partitions',
    )
  } catch (error) {
    return unknown(CHECK, reasonOf(error), 'fix what is above first, and ask again')
  }
}

/** Whether a generation is seen again after another one. */
function comesBack(generations: readonly string[]): boolean {
  const runs = generations.filter((generation, i) => generation !== generations[i - 1])
  return new Set(runs).size < runs.length
}

/** A challenge is signed, and not encrypted: anybody may read these. */
async function claimsOf(
  service: URL,
  ask: Ask,
  { sitekey, action, hostname }: AllowedPage,
): Promise<{ jti: string; gen: string }> {
  const res = await ask(new URL('api/v1/challenge', service), {
    method: 'POST',
    body: new URLSearchParams({ sitekey, action }),
    headers: { origin: `https://${hostname}` },
    signal: AbortSignal.timeout(WAIT_MS),
  })
  const body = (await res.json()) as Record<string, unknown>
  if (!res.ok) throw new Error(`challenge answers ${String(body['error-codes'])}`)
  const payload = String(body['challenge']).split('.')[1] ?? ''
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string; gen: string }
}
