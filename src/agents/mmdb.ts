import { readFile } from 'node:fs/promises'
import { Reader, type Response } from 'maxmind'
import { memoize } from '../domain/memoize.ts'
import type { NetworkFacts } from '../domain/network.ts'

/** What one file says of an address. */
type Facts = Omit<NetworkFacts, 'lists'>

const NOTHING: Facts = { asn: undefined, country: undefined }
/** Addresses whose facts are remembered: a visitor asks more than once. */
const REMEMBERED = 10_000

/**
 * Opens an MMDB file of networks or countries, of any vendor: recognised by the members of its records, not by its name.
 *
 * @throws {Error} with a sentence for the operator.
 * @see https://maxmind.github.io/MaxMind-DB/
 */
export async function openMmdb(file: string): Promise<(address: string) => Facts> {
  const bytes = await readFile(file)
  let reader: Reader<Response>
  try {
    reader = new Reader<Response>(bytes)
    // The table and the data are only read when asked: both ends of the addresses show a file that is cut off.
    for (const address of [
      '0.0.0.0',
      '255.255.255.255',
      ...(reader.metadata.ipVersion === 6 ? ['::', 'ffff::'] : []),
    ])
      reader.get(address)
  } catch {
    throw new Error(`${file} is not a whole MMDB file`)
  }
  const v6 = reader.metadata.ipVersion === 6
  return memoize((address) => {
    // Asked for an IPv6 address, a table of IPv4 alone would answer for the IPv4 address of the same first bits.
    if (!v6 && address.includes(':')) return NOTHING
    try {
      const record: unknown = reader.get(address)
      return record === null ? NOTHING : { asn: asnOf(record), country: countryOf(record) }
    } catch {
      // A damaged record is nothing known; the visitor is not to blame for it.
      return NOTHING
    }
  }, REMEMBERED)
}

/** `autonomous_system_number` (MaxMind, DB-IP), or `asn`: 64496 or "AS64496" (IPinfo). */
function asnOf(record: unknown): number | undefined {
  const value = inside(record, 'autonomous_system_number') ?? inside(record, 'asn')
  const asn = typeof value === 'string' ? Number(value.replace(/^AS/i, '')) : value
  return typeof asn === 'number' && Number.isInteger(asn) && asn > 0 && asn <= 0xffffffff
    ? asn
    : undefined
}

/** `country.iso_code` (MaxMind, DB-IP), `country_code` or `country` (IPinfo). */
function countryOf(record: unknown): string | undefined {
  const country = inside(record, 'country')
  const code = inside(country, 'iso_code') ?? inside(record, 'country_code') ?? country
  return typeof code === 'string' && /^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : undefined
}

const inside = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
