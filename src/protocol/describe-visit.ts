import type { NetworkFacts } from '../domain/network.ts'
import { parseAddressRange } from '../domain/ranges.ts'
import type { DescribedVisit } from '../domain/visit-conditions.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Caller } from './caller.ts'

/** The visit of a request as the site's rules see it. */
export function describeVisit(
  { address, facts }: Caller,
  action: string,
  network: NetworkFacts,
  at: UnixSeconds,
): DescribedVisit {
  const place = address === undefined ? undefined : parseAddressRange(address)
  return { place, network, userAgent: facts().userAgent, action, at }
}
