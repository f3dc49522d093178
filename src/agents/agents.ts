import { NO_AGENT, type AgentFacts } from '../domain/named-agent.ts'
import { parseAddressRange, rangeSet } from '../domain/site-rules/ranges.ts'
import type { Log } from '../domain/observing.ts'
import type { Agents } from '../domain/ports.ts'
import type { Config } from '../settings/load.ts'
import type { WatchedFiles } from '../settings/watch.ts'
import { type AgentKeys, readKeyFile } from './key-file.ts'
import { readRangeList } from './range-list.ts'
import { type AgentKey, type Verifier, verifySignature } from './verify-signature.ts'
import { watchedFile } from './watched-file.ts'

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
  settings: Config['agents'],
  publicUrl: string | undefined,
  log: Log,
): Promise<LocalAgents> {
  const read = <T>(path: 'keys' | 'ranges', reader: (file: string) => Promise<T>, missing: T) =>
    Promise.all(
      settings
        .filter((agent) => agent[path] !== undefined)
        .map(async ({ name, url, [path]: file }) => ({
          name,
          url,
          file: await watchedFile(file!, reader, missing, log),
        })),
    )
  const signing = await read<AgentKeys>('keys', readKeyFile, new Map())
  const listed = await read('ranges', readRangeList, rangeSet([]))
  const verifier: Verifier | undefined =
    publicUrl === undefined || signing.length === 0 ? undefined : { origin: publicUrl, keyOf }

  return {
    files: [...signing, ...listed].map(({ file }) => file),
    identify({ signed, address }, now): AgentFacts {
      const request = verifier && signed()
      const bySignature = verifier && request ? verifySignature(request, verifier, now) : NO_AGENT
      if (bySignature.name !== undefined || listed.length === 0 || address === undefined)
        return bySignature
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
    const range = parseAddressRange(address)
    return range && listed.find(({ file }) => file.content().covers(range) === 'all')?.name
  }
}
