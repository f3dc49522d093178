import { type NetworkFacts, NOTHING_KNOWN } from '../domain/network.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { Log } from '../domain/observing.ts'
import type { Networks } from '../domain/ports.ts'
import type { Config } from '../settings/load.ts'
import type { WatchedFiles } from '../settings/watch.ts'
import { openMmdb } from './mmdb.ts'
import { readRangeList } from './range-list.ts'
import { watchedFile } from './watched-file.ts'

export interface LocalNetworks extends Networks {
  readonly files: readonly WatchedFiles[]
}

/**
 * Says what local files know of an address. The last good version of a file counts, also after the file was removed: what
 * is known must not vanish with a failed download. Nothing is ever asked over the network.
 *
 * @throws {Error} at start, with a sentence for the operator: a service must not run on half of its files.
 */
export async function localNetworks(
  { mmdb, lists }: Config['network'],
  log: Log,
): Promise<LocalNetworks> {
  const [tables, listed] = await Promise.all([
    Promise.all(mmdb.map((file) => watchedFile(file, openMmdb, undefined, log))),
    Promise.all(
      lists.map(async ({ name, kind, file }) => ({
        list: { name, kind },
        file: await watchedFile(file, readRangeList, undefined, log),
      })),
    ),
  ])

  return {
    files: [...tables, ...listed.map(({ file }) => file)],
    lookUp(address) {
      if (address === undefined || (tables.length === 0 && listed.length === 0))
        return NOTHING_KNOWN
      return { ...describedBy(address), lists: listsWith(address) }
    },
  }

  function describedBy(address: string): Omit<NetworkFacts, 'lists'> {
    const facts = tables.map((table) => table.content()(address))
    const { asn } = facts.find((each) => each.asn !== undefined) ?? NOTHING_KNOWN
    const { country } = facts.find((each) => each.country !== undefined) ?? NOTHING_KNOWN
    return { asn, country }
  }

  function listsWith(address: string): NetworkFacts['lists'] {
    const range = parseAddressRange(address)
    if (!range) return []
    return listed
      .filter(({ file }) => file.content().covers(range) === 'all')
      .map(({ list }) => list)
  }
}
