import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Addresses from first to last, inclusive. IPv4 has its 32 bits, IPv6 its upper 64: visitors are known by their /64
 * (address.ts), so a narrower range stands for its /64.
 */
export interface AddressRange {
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
}

/**
 * Reads an address or a CIDR range. `::ffff:192.0.2.0/120` is read as the IPv4 range.
 *
 * @returns undefined for anything else: names, ports, zones, octal parts, masks that are too long.
 * @see RFC 4632, section 3.1; RFC 4291, section 2.3
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', mask, ...more] = text.split('/')
  if (more.length > 0 || isIP(address) === 0 || address.includes('%')) return undefined
  const bits = prefixLength(mask, isIP(address) === 4 ? 32 : 128)
  if (bits === undefined) return undefined
  const parsed = ipaddr.parse(address)
  const isMapped = parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress()
  const bytes = parsed.toByteArray()
  return isMapped && bits >= 96 ? rangeOf(bytes.slice(12), bits - 96) : rangeOf(bytes, bits)
}

/** Reads the number after the slash; without one, the range is a single address. */
function prefixLength(mask: string | undefined, longest: number): number | undefined {
  if (mask === undefined) return longest
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(mask)) return undefined
  const bits = Number(mask)
  return bits <= longest ? bits : undefined
}

function rangeOf(bytes: readonly number[], bits: number): AddressRange {
  const family = bytes.length === 4 ? 4 : 6
  const [prefix, length] = family === 4 ? [bytes, bits] : [bytes.slice(0, 8), Math.min(bits, 64)]
  const width = BigInt(prefix.length * 8)
  const value = prefix.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const host = (1n << (width - BigInt(length))) - 1n
  const first = value & ~host
  return { family, first, last: first | host }
}

/** How much of a range is in a set. */
export type Coverage = 'all' | 'some' | 'none'

/** A large set of ranges for many lookups. */
export interface RangeSet {
  /** Number of ranges after merging those that touch or overlap. */
  readonly size: number
  /** One binary search: 16 steps for 50,000 ranges. */
  covers(range: AddressRange): Coverage
}

/** Sorts and merges the ranges once, so that a lookup is a binary search. */
export function rangeSet(ranges: readonly AddressRange[]): RangeSet {
  const v4 = mergeRanges(ranges.filter(isV4))
  const v6 = mergeRanges(ranges.filter((range) => !isV4(range)))
  return {
    size: v4.firsts.length + v6.firsts.length,
    covers: (range) => coverage(isV4(range) ? v4 : v6, range),
  }
}

/** Ranges in order, none of which touches another. */
interface MergedRanges {
  readonly firsts: BigUint64Array
  readonly lasts: BigUint64Array
}

const isV4 = ({ family }: AddressRange): boolean => family === 4

function mergeRanges(ranges: readonly AddressRange[]): MergedRanges {
  const sorted = ranges.toSorted((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)))
  const apart: { first: bigint; last: bigint }[] = []
  for (const { first, last } of sorted) {
    const before = apart.at(-1)
    if (before === undefined || first > before.last + 1n) apart.push({ first, last })
    else if (last > before.last) before.last = last
  }
  return {
    firsts: BigUint64Array.from(apart, ({ first }) => first),
    lasts: BigUint64Array.from(apart, ({ last }) => last),
  }
}

function coverage({ firsts, lasts }: MergedRanges, { first, last }: AddressRange): Coverage {
  // The number of ranges that begin at or before `last`; only the last of them can contain all of it.
  let [low, high] = [0, firsts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (firsts[middle]! <= last) low = middle + 1
    else high = middle
  }
  if (low === 0 || lasts[low - 1]! < first) return 'none'
  return firsts[low - 1]! <= first && lasts[low - 1]! >= last ? 'all' : 'some'
}
