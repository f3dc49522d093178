import type { Express, Request } from 'express'
import { all as addresses, compile as rangeTest } from 'proxy-addr'
import { parseAddress, type VisitorAddress } from '../domain/address.ts'
import { memoize } from '../domain/memoize.ts'
import type { Log } from '../domain/observing.ts'

/** Reports whether a peer is one of our own proxies. */
export type Trusts = (peer: string | undefined) => boolean

/** Trusts the addresses of some CIDR ranges only. */
export function trustedRanges(ranges: readonly string[]): Trusts {
  const trusts = rangeTest([...ranges])
  // Each request asks about its peer and its hops, which are mostly the same few proxies.
  const isIn = memoize((peer) => trusts(peer, 0), MOST_REMEMBERED)
  return (peer) => peer !== undefined && isIn(peer)
}

/** Finds a visitor's address; undefined when it is unknown. */
export type ClientAddress = (req: Request) => VisitorAddress | undefined

/** Maximum of addresses whose trust is cached, and of proxies that were logged. */
const MOST_REMEMBERED = 1000

/**
 * Tells an application which peers are our own proxies, so that Express' `req.ip` is the rightmost address that is none.
 *
 * @param header lowercase, in which they pass the visitor's address: `x-forwarded-for`, `forwarded` or one with a single
 *   address. Express reads the first alone, so what another one says is put there.
 */
export function trustProxies(app: Express, trusts: Trusts, header: string): void {
  app.set('trust proxy', (hop: string) => trusts(withoutPort(hop)))
  app.use((req, _res, next) => {
    const elements = (req.get(header) ?? '').split(',')
    const hops = elements.map(header === 'forwarded' ? forOf : (hop) => hop.trim())
    // Express skips an empty element, and so would take what a visitor wrote before it.
    req.headers['x-forwarded-for'] = hops.map((hop) => hop || 'unknown').join()
    next()
  })
}

/**
 * Finds the visitor's address: the rightmost that is not a trusted proxy; without a proxy, the peer's.
 *
 * A trusted proxy that names no address is logged once. Its own address never stands for its visitors: a rule of the site that
 * lets the own network through would let every visitor through (docs/design/threats.md#t18).
 */
export function clientAddress(trusts: Trusts, header: string, log: Log): ClientAddress {
  const mentioned = new Set<string>()
  const mention = (peer: string): undefined => {
    if (mentioned.has(peer) || mentioned.size >= MOST_REMEMBERED) return
    mentioned.add(peer)
    const network = parseAddress(peer)?.network
    log.warn('visitor address not readable', {
      ...(network !== undefined && { network }),
      detail: `a trusted proxy sends no address in ${header}; its visitors share one budget, and no rule knows their address`,
      hint: 'let the proxy write an IP address, or name its header in client_ip_header',
    })
  }

  return (req) => {
    // `req.ips` is not asked: @fastify/middie 9 writes its own of that name on the message, which hides that of Express.
    const [peer = '', ...hops] = addresses(req, req.app.get('trust proxy'))
    return trusts(peer)
      ? (parseAddress(withoutPort(hops.at(-1) ?? '')) ?? mention(peer))
      : parseAddress(peer)
  }
}

/** Returns the `for` of one element of `Forwarded` (RFC 7239), unquoted; empty where there is none. */
const forOf = (element: string): string =>
  /(?:^|;)\s*for="?([^";,\s]*)"?\s*(?:;|$)/i.exec(element)?.[1] ?? ''

/** Azure and IIS add the port, and an IPv6 address with a port is in brackets. */
export const withoutPort = (hop: string): string =>
  /^\[([0-9A-Fa-f:.]{2,45})\](?::[0-9]{1,5})?$/.exec(hop)?.[1] ??
  /^([0-9.]{7,15}):[0-9]{1,5}$/.exec(hop)?.[1] ??
  hop
