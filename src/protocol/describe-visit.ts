import type { NetworkFacts } from '../domain/network.ts'
import { parseAddressRange } from '../domain/ranges.ts'
import type { DescribedVisit } from '../domain/visit-conditions.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Caller } from './caller.ts'

/** The visit of a request as the site's rules see it. */
export function describeVisit(caller: Caller, action: string, network: NetworkFacts, at: UnixSeconds): DescribedVisit {
  const { address } = caller
  const place = address === undefined ? undefined : parseAddressRange(address)
  return { place, network, userAgent: caller.facts().userAgent, action, at }
}
