import type { UnixSeconds } from '../domain/words.ts'
import type { Jwk } from './keyring.ts'

/**
 * Seconds after which nothing that a superseded key sealed can still be accepted: the longest challenge of any policy
 * (1 h), the longest token (10 min), and 5 min for clocks. docs/design/threats.md#t28
 *
 * A challenge's last token is sealed by the key of its own moment, so the sum is more than is needed; it is the same
 * sum that the ledger keeps entries for.
 */
export const OPENS_FOR = 3600 + 600 + 300

/**
 * The keys worth keeping, and those that can no longer open anything: another one became active so long ago that all
 * they sealed is over.
 *
 * @param keys in any order.
 */
export function retire(keys: readonly Jwk[], now: UnixSeconds): { live: readonly Jwk[]; retired: readonly Jwk[] } {
  const isRetired = ({ nbf }: Jwk): boolean => keys.some((newer) => newer.nbf > nbf && newer.nbf + OPENS_FOR <= now)
  return { live: keys.filter((key) => !isRetired(key)), retired: keys.filter(isRetired) }
}
