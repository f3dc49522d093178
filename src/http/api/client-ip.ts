import type { Request, Response } from 'express'
import { parseAddress, type VisitorAddress } from '../../domain/address.ts'
import type { Log } from '../../ports/observing.ts'
import { memoForAMinute } from '../../runtime/memo-for-a-minute.ts'

/** Whom the application believes, and in which header: set by `bareApp`. */
const HEADER = 'client ip header'
const TRUST = 'trust proxy fn'

/** Hears of a trusted proxy whose word on the visitor cannot be read. @param peer the proxy's own address. */
export type Unreadable = (peer: string) => void

/**
 * Finds the visitor's address: the rightmost in `client_ip_header` that is no trusted proxy of ours, else the peer's.
 *
 * Only configured ranges are believed. A trusted proxy may pass on what is no address ("unknown", a name); then the peer's own
 * address stands, never the visitor's claim.
 */
export function clientAddress(
  req: Request,
  res: Response,
  unreadable: Unreadable = () => {},
): VisitorAddress | undefined {
  const locals = res.locals as { address?: VisitorAddress | undefined }
  if (!('address' in locals)) locals.address = find(req, unreadable)
  return locals.address
}

function find(req: Request, unreadable: Unreadable): VisitorAddress | undefined {
  const peer = req.socket.remoteAddress ?? ''
  const name = req.app.get(HEADER) as string
  const sent = req.headers[name]
  // Most that come without a proxy.
  if (sent === undefined) return read(peer)
  const trusts = req.app.get(TRUST) as (address: string, hop: number) => boolean
  if (!trusts(peer, 0)) return read(peer)
  const text = String(sent)
  const hops = text.split(',')
  for (let i = hops.length - 1; i >= 0; i--) {
    const hop = name === 'forwarded' ? forOf(hops[i]!) : hops[i]!.trim()
    const bare = withoutPort(hop)
    const address = read(bare)
    if (address === undefined) {
      if (text.trim() !== '') unreadable(peer)
      return read(peer)
    }
    if (i === 0 || !trusts(bare, hops.length - i)) return address
  }
  return read(peer)
}

/** The `for` of one element of `Forwarded` (RFC 7239), unquoted. The rightmost element is our own proxy's, whatever stands before. */
const forOf = (element: string): string => /(?:^|;)\s*for="?([^";,]*)"?\s*(?:;|$)/i.exec(element)?.[1] ?? ''

/** Azure and IIS add the port, and an IPv6 address with a port is in brackets. */
const withoutPort = (hop: string): string =>
  /^\[([0-9A-Fa-f:.]{2,45})\](?::[0-9]{1,5})?$/.exec(hop)?.[1] ?? /^([0-9.]{7,15}):[0-9]{1,5}$/.exec(hop)?.[1] ?? hop

/** Those of customers' servers come again and again, those of visitors twice; a reading takes 2 µs, of IPv6 11. */
const read = memoForAMinute(parseAddress, 4096)

/** Proxies that are remembered as mentioned. */
const MOST_PROXIES = 1000

/** Says once for each proxy that its header cannot be read: until that is repaired all its visitors share one address. */
export function noticeUnreadable(log: Log, header: string): Unreadable {
  const proxies = new Set<string>()
  return (peer) => {
    if (proxies.has(peer) || proxies.size >= MOST_PROXIES) return
    proxies.add(peer)
    const network = parseAddress(peer)?.network
    log.warn('visitor address not readable', {
      ...(network !== undefined && { network }),
      detail: `a trusted proxy sends ${header} with no address in it; its own address stands for all its visitors`,
      hint: 'let the proxy write an IP address, or name its header in client_ip_header',
    })
  }
}
