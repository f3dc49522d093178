import { type ListKind, type NetworkFacts, NOTHING_KNOWN } from '../domain/network.ts'
import { parseAddressRange, type RangeSet } from '../domain/ranges.ts'
import type { Log, Networks } from '../ports.ts'
import { readCidrList } from './cidr-list.ts'
import { type MmdbLookup, openMmdb } from './mmdb.ts'
import { type Watched, watchStill } from './still-files.ts'

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
    Promise.all(files.mmdb.map((file) => inForce(file, openMmdb, log))),
    Promise.all(files.lists.map(async (list) => ({ ...list, ranges: await inForce(list.file, readCidrList, log) }))),
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

function describedBy(mmdb: readonly InForce<MmdbLookup>[], address: string): Omit<NetworkFacts, 'lists'> {
  let [asn, country]: [number | undefined, string | undefined] = [undefined, undefined]
  for (const lookup of mmdb) {
    const found = lookup.now()(address)
    asn ??= found.asn
    country ??= found.country
  }
  return { asn, country }
}

interface InForce<T> extends Watched {
  /** The last that was whole. */
  now(): T
}

async function inForce<T extends RangeSet | MmdbLookup>(
  file: string,
  read: (file: string) => Promise<T>,
  log: Log,
): Promise<InForce<T>> {
  let current = await read(file).catch((error: unknown) => {
    throw new Error(sentence(file, error))
  })
  return {
    file,
    now: () => current,
    async changed() {
      try {
        current = await read(file)
        log.info('network file reloaded', { detail: file })
      } catch (error) {
        log.error('network file not reloaded; the old one stays in force', { detail: sentence(file, error) })
      }
    },
  }
}

function sentence(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return `${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : `the system says ${code}`}`
}
