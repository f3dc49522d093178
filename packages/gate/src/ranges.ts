/** Ranges of addresses, and a table that finds the one which an address is in. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Range = ReturnType<typeof ipaddr.parseCIDR>

/** Reads an address or a range such as `192.0.2.0/24`. @returns undefined for every address, and for what is neither. */
export function parseRange(written: string): Range | undefined {
  const cidr = written.includes('/') ? written : `${written}/${written.includes(':') ? 128 : 32}`
  return ipaddr.isValidCIDR(cidr) && !cidr.endsWith('/0') ? ipaddr.parseCIDR(cidr) : undefined
}

/** Reports whether an address is one of the public internet: not private, not of this machine, not reserved. */
export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'unicast'

/** Spells an address in one way: an IPv4 address in IPv6 as IPv4, and without the name of an interface. */
export const canonicalAddress = (address: string): string =>
  ipaddr.process(address.replace(/%.*/s, '')).toString()

/** The bits of each byte, as text: the beginning of a text is that of a network. */
const BITS = Array.from({ length: 256 }, (_, byte) => byte.toString(2).padStart(8, '0'))
type Address = Range[0]
const bitsOf = (address: Address): string =>
  address
    .toByteArray()
    .map((byte) => BITS[byte])
    .join('')

/** Finds values by address, in a time that depends on the number of prefix lengths and not on the number of ranges. */
export class RangeTable<T> {
  /** By family: the lengths of its prefixes, and the values by prefix. */
  readonly #families = {
    ipv4: { lengths: new Set<number>(), values: new Map<string, T[]>() },
    ipv6: { lengths: new Set<number>(), values: new Map<string, T[]>() },
  }

  add([address, length]: Range, value: T): void {
    const { lengths, values } = this.#families[address.kind()]
    lengths.add(length)
    const prefix = bitsOf(address).slice(0, length)
    values.set(prefix, [...(values.get(prefix) ?? []), value])
  }

  /** Returns the values of all ranges that an address is in. */
  find(address: string | undefined): readonly T[] {
    if (address === undefined || isIP(address) === 0) return []
    const ip = ipaddr.process(address)
    const { lengths, values } = this.#families[ip.kind()]
    if (lengths.size === 0) return []
    const bits = bitsOf(ip)
    return [...lengths].flatMap((length) => values.get(bits.slice(0, length)) ?? [])
  }
}
