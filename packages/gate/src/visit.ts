/** What a visitor asked for, as a proxy says it. Never guessed: a proxy passes on headers that visitors wrote. */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Source } from './dialects.ts'
import type { Range } from './ranges.ts'

export interface Visit {
  readonly method: string
  /** Path and query as the browser sent them. */
  readonly target: string
  /** Lower case, without a port. */
  readonly host: string
  /** As browsers name it in `Origin`; undefined where the host is none. */
  readonly origin: string | undefined
  readonly isSecure: boolean
  /** As the proxy, or the program, tells it: perhaps no address. */
  readonly address: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The proxy does not send what its dialect needs. */
export class MissingHeader extends Error {}

/** Returns the name of a host as browsers write it, without a port and a dot at its end. */
export const hostOf = (text = ''): string => text.toLowerCase().replace(/\.?(:\d*)?$/, '')

/** @param host perhaps with a port. */
export function originOf(isSecure: boolean, host = ''): string | undefined {
  try {
    return new URL(`${isSecure ? 'https' : 'http'}://${host}`).origin
  } catch {
    return undefined
  }
}

/** Returns the name of one of our own files, or of any other address below our prefix; undefined for a path of the site. */
export const assetOf = (target: string): string | undefined => /^\/\.hv\/([^?]*)/.exec(target)?.[1]

/** A proxy's request. `target`: the visitor's, unless a header has it. */
export type ProxyRequest = Pick<Visit, 'method' | 'target' | 'headers'>

/** Reads what a proxy's request says of a visit. @throws {MissingHeader} */
export function readVisit(
  source: Source,
  { method, target, headers }: ProxyRequest,
  trusted: readonly Range[],
): Visit {
  function header(name: string): string {
    const value = headers[name]
    if (typeof value !== 'string' || value === '')
      throw new MissingHeader(`the proxy sends no ${name}`)
    return value
  }
  const host = source.host === 'host' ? headers.host : header(source.host)
  const isSecure = /^(https|wss)$/.test(header('x-forwarded-proto'))
  const hops = header('x-forwarded-for').split(',')
  return {
    target: source.headers ? header(source.headers.target) : target,
    method: source.headers ? header(source.headers.method) : method,
    host: hostOf(host),
    origin: originOf(isSecure, host),
    isSecure,
    // The rightmost that is none of our proxies.
    address: hops
      .map((hop) => hop.trim())
      .findLast((hop, index) => index === 0 || !isInRanges(hop, trusted)),
    headers,
  }
}

export function isInRanges(address: string | undefined, ranges: readonly Range[]): boolean {
  if (address === undefined || isIP(address) === 0) return false
  return ipaddr.subnetMatch(ipaddr.process(address), { in: [...ranges] }, 'out') === 'in'
}

/** Returns the IPv4 /24 or the IPv6 /48 of an address; what is none is a network of its own. */
export function networkOf(address = ''): string {
  if (isIP(address) === 0) return 'unknown'
  const ip = ipaddr.process(address.replace(/%.*/, ''))
  const [family, bits] = ip.kind() === 'ipv4' ? [ipaddr.IPv4, 24] : [ipaddr.IPv6, 48]
  return `${family.networkAddressFromCIDR(`${ip.toString()}/${bits}`).toString()}/${bits}`
}
