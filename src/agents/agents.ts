import { NO_AGENT, type AgentFacts } from '../domain/named-agent.ts'
import { parseAddressRange, rangeSet } from '../domain/site-rules/ranges.ts'
import type { Log } from '../domain/ports/observing.ts'
import type { Agents } from '../domain/ports/stores.ts'
import type { WatchedFiles } from '../settings/watch.ts'
import { readKeyFile } from './key-file.ts'
import { readRangeList } from './range-list.ts'
import { type AgentKey, type Verifier, verifySignature } from './verify-signature.ts'
import { watchedFile } from './watched-file.ts'

/** An agent of the configuration: paths are absolute, and it has one of the two files. */
export interface AgentSettings {
  readonly name: string
  readonly url?: string | undefined
  readonly keys?: string | undefined
  readonly ranges?: string | undefined
}

export interface LocalAgents extends Agents {
  readonly files: readonly WatchedFiles[]
}

/**
 * Names the agents of the configuration by their key files and lists of addresses. A removed file withdraws what it said,
 * since a rule may let the agent in. Nothing is ever asked over the network.
 *
 * A signature counts before the address. A key that two agents have in their files names the first of them.
 *
 * @param publicUrl what signatures are made for; without it none is verified.
 * @throws {Error} at start, with a sentence for the operator.
 */
export async function localAgents(
  settings: readonly AgentSettings[],
  publicUrl: string | undefined,
  log: Log,
): Promise<LocalAgents> {
  const signing = await Promise.all(
    settings.flatMap(({ name, url, keys }) =>
      keys === undefined ? [] : [watchedFile(keys, readKeyFile, new Map(), log).then((file) => ({ name, url, file }))],
    ),
  )
  const listed = await Promise.all(
    settings.flatMap(({ name, ranges }) =>
      ranges === undefined
        ? []
        : [watchedFile(ranges, readRangeList, rangeSet([]), log).then((file) => ({ name, file }))],
    ),
  )
  const verifier: Verifier | undefined =
    publicUrl === undefined || signing.length === 0 ? undefined : { origin: publicUrl, keyOf }

  return {
    files: [...signing, ...listed].map(({ file }) => file),
    of({ signed, address }, now): AgentFacts {
      const request = verifier && signed()
      const bySignature = verifier && request ? verifySignature(request, verifier, now) : NO_AGENT
      if (bySignature.name !== undefined || listed.length === 0 || address === undefined) return bySignature
      const name = nameAt(address)
      return name === undefined ? bySignature : { ...bySignature, name }
    },
  }

  function keyOf(keyid: string): AgentKey | undefined {
    for (const { name, url, file } of signing) {
      const key = file.content().get(keyid)
      if (key) return { name, url, key }
    }
    return undefined
  }

  function nameAt(address: string): string | undefined {
    const place = parseAddressRange(address)
    return place && listed.find(({ file }) => file.content().covers(place) === 'all')?.name
  }
}
