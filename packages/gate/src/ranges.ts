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

/** A place in the tree: what lies behind the next bit of an address, and the values of the range that ends here. */
interface Branch<T> {
  zero?: Branch<T>
  one?: Branch<T>
  readonly values: T[]
}

const bitAt = (bytes: readonly number[], index: number): number =>
  (bytes[index >> 3]! >> (7 - (index & 7))) & 1

/** A prefix tree: finds the values of all ranges that an address is in, in at most a step for each of its bits. */
export class RangeTable<T> {
  readonly #roots: Readonly<Record<'ipv4' | 'ipv6', Branch<T>>> = {
    ipv4: { values: [] },
    ipv6: { values: [] },
  }

  add([address, length]: Range, value: T): void {
    const bytes = address.toByteArray()
    let at = this.#roots[address.kind()]
    for (let index = 0; index < length; index++) {
      const side = bitAt(bytes, index) === 1 ? 'one' : 'zero'
      at[side] ??= { values: [] }
      at = at[side]
    }
    at.values.push(value)
  }

  /** Returns the values of all ranges that an address is in, the narrowest first. */
  find(address: string | undefined): readonly T[] {
    if (address === undefined || isIP(address) === 0) return []
    const ip = ipaddr.process(address)
    const bytes = ip.toByteArray()
    const found: T[] = []
    let at: Branch<T> | undefined = this.#roots[ip.kind()]
    for (let index = 0; at; index++) {
      if (at.values.length > 0) found.unshift(...at.values)
      at = bitAt(bytes, index) === 1 ? at.one : at.zero
    }
    return found
  }
}
