import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * An IP address as we use it: IPv4 whole, IPv6 by its /64 (what one subscriber gets).
 * `::ffff:a.b.c.d` is the IPv4 address it maps.
 */
export interface VisitorAddress {
  readonly family: 4 | 6
  /** `private`: loopback, link-local, RFC 1918, unique local, carrier-grade NAT, unspecified. */
  readonly scope: 'public' | 'private'
  /** `192.0.2.7` or `2001:db8:1:2::/64`. Personal data: hash it before it is kept. */
  readonly network: string
  /** What a log may show: the IPv4 /24 or the IPv6 /48. */
  readonly truncated: string
}

/** An address as it may be kept in a token: comparable, not readable. */
export interface AddressMark {
  readonly family: 4 | 6
  readonly scope: 'public' | 'private'
  /** 128 bits, base64url: the first 48 of a keyed hash of the /24 or /48, then 80 of one of the address (IPv6: /64). */
  readonly hash: string
}

/** The part of a mark that neighbours share: 48 bits of the IPv4 /24 or the IPv6 /48. */
export const networkOf = (mark: string): string => mark.slice(0, 8)

const PRIVATE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
])

/** @returns undefined when the text is not an IP address (ports, zones, host names and ranges are not). */
export function parseAddress(text: string): VisitorAddress | undefined {
  // The library alone would also read 0x7f.1 and 010.1.1.1 (octal); nobody's address arrives that way.
  if (isIP(text) === 0 || text.includes('%')) return undefined
  const address = ipaddr.process(text)
  const scope = PRIVATE.has(address.range()) ? 'private' : 'public'
  if (address.kind() === 'ipv4') {
    const network = address.toString()
    return { family: 4, scope, network, truncated: `${network.slice(0, network.lastIndexOf('.'))}.0/24` }
  }
  const prefix = (bits: 48 | 64): string =>
    `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
  return { family: 6, scope, network: prefix(64), truncated: prefix(48) }
}

export type AddressComparison = 'same' | 'other' | 'not-comparable'

/**
 * Compares the address that solved with the one the customer sent. Two families, or a private and a public
 * address, say nothing about the visitor: they mean that one of us sees a proxy. CONTRACT.md, "remoteip".
 */
export function compareAddresses(a: AddressMark, b: AddressMark): AddressComparison {
  if (a.family !== b.family || a.scope !== b.scope) return 'not-comparable'
  return a.hash === b.hash ? 'same' : 'other'
}
