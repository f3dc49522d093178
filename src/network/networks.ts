import { type ListKind, type NetworkFacts, NOTHING_KNOWN } from '../domain/network.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { Log } from '../ports/observing.ts'
import type { Networks } from '../ports/stores.ts'
import { readCidrList } from './cidr-list.ts'
import { type MmdbLookup, openMmdb } from './mmdb.ts'
import { type FileInForce, fileInForce } from './file-in-force.ts'
import { watchStill } from './still-files.ts'

/** The files of the configuration: absolute paths. */
export interface NetworkFiles {
  /** Asked in this order; the first that says a country, or a network, is believed. */
  readonly mmdb: readonly string[]
  readonly lists: readonly { readonly name: string; readonly kind: ListKind; readonly file: string }[]
}

export interface LocalNetworks extends Networks {
  /** Looks whether a file has changed, as the timer does. */
  look(): Promise<void>
  stop(): void
}

/** Milliseconds between two looks at the files. */
const EVERY = 2000

/**
 * What local files know of addresses. Each file is read once, and again when it has changed; a new one with a problem
 * leaves the old one in force and says so. Nothing is ever asked over the network.
 *
 * @throws {Error} at start, with a sentence for the operator: a service must not run on half of its files.
 */
export async function localNetworks(files: NetworkFiles, log: Log, everyMs = EVERY): Promise<LocalNetworks> {
  const [mmdb, lists] = await Promise.all([
    Promise.all(files.mmdb.map((file) => fileInForce(file, openMmdb, 'network file', log))),
    Promise.all(
      files.lists.map(async (list) => ({
        ...list,
        ranges: await fileInForce(list.file, readCidrList, 'network file', log),
      })),
    ),
  ])
  const watching = await watchStill([...mmdb, ...lists.map(({ ranges }) => ranges)], everyMs)
  return {
    ...watching,
    of(address) {
      if (address === undefined || (mmdb.length === 0 && lists.length === 0)) return NOTHING_KNOWN
      return { ...describedBy(mmdb, address), lists: listsWith(address) }
    },
  }

  function listsWith(address: string): NetworkFacts['lists'] {
    const place = parseAddressRange(address)
    if (!place) return []
    return lists.filter(({ ranges }) => ranges.now().covers(place) === 'all').map(({ name, kind }) => ({ name, kind }))
  }
}

function describedBy(mmdb: readonly FileInForce<MmdbLookup>[], address: string): Omit<NetworkFacts, 'lists'> {
  let [asn, country]: [number | undefined, string | undefined] = [undefined, undefined]
  for (const lookup of mmdb) {
    const facts = lookup.now()(address)
    asn ??= facts.asn
    country ??= facts.country
  }
  return { asn, country }
}
