import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type AddressHash, encodeAddressHash, isOfSubscriber } from './address-hash.ts'
import { memoize } from './memoize.ts'

/** An IPv4 /24 or IPv6 /48 such as `192.0.2.0/24`. Branded, so that a full address is not accepted as one. */
export type NetworkPrefix = string & { readonly __brand: 'network prefix' }

/**
 * An IP address: IPv4 in full, IPv6 by its /64 (the share of one subscriber). `::ffff:a.b.c.d` and `64:ff9b::a.b.c.d` stand
 * for the IPv4 address in them.
 */
export interface VisitorAddress {
  readonly family: 4 | 6
  /** `private`: loopback, link-local, RFC 1918, unique local, carrier-grade NAT, unspecified. */
  readonly scope: 'public' | 'private'
  /** `192.0.2.7` or `2001:db8:1:2::/64`: personal data. Hash it before it is stored; never log it. */
  readonly subscriber: string
  /** The IPv4 /24 or IPv6 /48, which may be logged. */
  readonly network: NetworkPrefix
  /** The IPv6 /56, which one subscriber often has, or the IPv4 address. Personal data, like `subscriber`. */
  readonly subnet: string
}

const PRIVATE: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'unspecified',
])

/** Addresses that are remembered: a request needs its own several times. */
const REMEMBERED = 256

/** @returns undefined if the text is not an IP address (with a port or zone, a hostname or a range). */
export const parseAddress = memoize(readAddress, REMEMBERED)

function readAddress(text: string): VisitorAddress | undefined {
  // The library would also read 0x7f.1 and 010.1.1.1 (octal), which no client sends.
  if (isIP(text) === 0 || text.includes('%')) return undefined
  const read = ipaddr.process(text)
  // Behind a translator, 64:ff9b::/96 is all of IPv4 (RFC 6052), not one network or subscriber.
  const address =
    read.range() === 'rfc6052' ? ipaddr.fromByteArray(read.toByteArray().slice(12)) : read
  const scope = PRIVATE.has(address.range()) ? 'private' : 'public'
  if (address instanceof ipaddr.IPv4) {
    const subscriber = address.toString()
    const network = `${subscriber.slice(0, subscriber.lastIndexOf('.'))}.0/24` as NetworkPrefix
    return { family: 4, scope, subscriber, network, subnet: subscriber }
  }
  const [a, b, c, d] = address.parts as [number, number, number, number]
  const beginning = (fourth: number): string =>
    new ipaddr.IPv6([a, b, c, fourth, 0, 0, 0, 0]).toString()
  return {
    family: 6,
    scope,
    subscriber: `${beginning(d)}/64`,
    network: `${beginning(0)}/48` as NetworkPrefix,
    subnet: `${beginning(d & 0xff00)}/56`,
  }
}

/**
 * Hashes an address.
 *
 * @param digestOf returns a keyed digest of a text, in base64url.
 * @param likely the hash that it most likely has; if it does, that is returned, and no network is hashed.
 */
export function hashOf(
  { family, scope, subscriber, subnet, network }: VisitorAddress,
  digestOf: (text: string) => string,
  likely?: AddressHash,
): AddressHash {
  const digest = digestOf(subscriber)
  if (likely !== undefined && isOfSubscriber(likely, digest)) return likely
  return encodeAddressHash(family, scope, {
    network: digestOf(`around ${network}`),
    subnet: family === 6 ? digestOf(`subnet ${subnet}`) : undefined,
    subscriber: digest,
  })
}
