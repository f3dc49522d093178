import type { Request } from 'express'
import { parseAddress, type VisitorAddress } from '../domain/address.ts'

/**
 * The visitor's address: the rightmost in `X-Forwarded-For` that no trusted proxy of ours added, else the peer's.
 *
 * Express decides whom to believe (`trust proxy`, set to the configured CIDR ranges and to nothing else). What a
 * trusted proxy passed on may still be no address at all ("unknown", a name, an address with a port); then the peer's
 * own address stands, never the visitor's claim.
 */
export function clientAddress(req: Request): VisitorAddress | undefined {
  return parseAddress(req.ip ?? '') ?? parseAddress(req.socket.remoteAddress ?? '')
}
