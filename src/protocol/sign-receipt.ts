import type { Verdict } from '../domain/verdict.ts'
import type { Sites } from '../ports/stores.ts'
import type { Receipts } from '../ports/tokens.ts'

interface Ports {
  readonly sites: Sites
  readonly receipts: Receipts
}

/** @returns undefined for a rejection, and for a site that did not ask for receipts. */
export type SignReceipt = (verdict: Verdict) => Promise<string | undefined>

/** Signs what was accepted, for a site with `receipt: true`. Nothing is decided here. */
export function signReceipt({ sites, receipts }: Ports): SignReceipt {
  return async (verdict) => {
    if (!verdict.accepted || sites.bySitekey(verdict.claims.sitekey)?.receipt !== true) return undefined
    return receipts.sign(verdict.claims)
  }
}
