import type { RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import type { Sites } from '../../ports/stores.ts'
import type { Receipts } from '../../ports/tokens.ts'
import { headOf, send } from './response-head.ts'

export const RECEIPT_KEYS_PATH = '/.well-known/hv-receipt-keys.json'
/** Seconds a checker may keep the keys; `hv keygen --active-in` announces a new one for longer. */
const KEEP = 300

/** GET the public keys of receipts; not there while no site asks for receipts. docs/api/receipt.md */
export function receiptKeys({ sites, receipts }: { sites: Sites; receipts: Receipts }): RequestHandler {
  return (_req, res) => {
    if (!sites.anyReceipts()) throw new Fault('not-found')
    headOf(res)['Cache-Control'] = `public, max-age=${KEEP}`
    // RFC 7517, section 8.5.2
    send(res, 200, 'application/jwk-set+json', JSON.stringify(receipts.keys()))
  }
}
