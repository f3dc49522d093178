import { type AddressHash, compareAddresses, familyOf, scopeOf } from '../domain/address-hash.ts'
import type { ResponseClaims } from '../claims/response.ts'
import type { Log } from '../domain/observing.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'

/** Seconds between two notices about one site. */
const NOTICE_EVERY = 3600

/** Logs once an hour for each site that two addresses cannot be compared, which the set-up causes, not a visitor. */
export function addressNotice(log: Log) {
  /** Times of the last notices: one entry for each configured site that ever had the problem. */
  const lastNotices = new Map<Sitekey, UnixSeconds>()
  return (
    { sitekey, sealed }: ResponseClaims,
    remote: AddressHash | undefined,
    now: UnixSeconds,
  ): void => {
    if (!remote || !sealed.address) return
    if (compareAddresses(sealed.address, remote) !== 'not-comparable') return
    const last = lastNotices.get(sitekey)
    if (last !== undefined && now - last < NOTICE_EVERY) return
    lastNotices.set(sitekey, now)
    log.warn('remoteip cannot be compared', {
      sitekey,
      detail: `solved from a ${kindOf(sealed.address)} address, remoteip is ${kindOf(remote)}`,
      hint: 'one side sees a proxy: check trusted_proxies here, and how the customer’s server finds the visitor’s address',
    })
  }
}

const kindOf = (hash: AddressHash): string => `${scopeOf(hash)} IPv${familyOf(hash)}`
