import { NO_AGENT, type AgentFacts } from '../domain/named-agent.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import { readCidrList } from '../network/cidr-list.ts'
import { fileInForce } from '../network/file-in-force.ts'
import { watchStill } from '../network/still-files.ts'
import type { Log } from '../ports/observing.ts'
import type { Agents } from '../ports/stores.ts'
import { readKeyFile } from './key-file.ts'
import { type AgentKey, type Verifier, verifySignature } from './verify-signature.ts'

/** The agents of the configuration: paths are absolute, and each has one of the two files. */
export interface AgentSettings {
  readonly name: string
  readonly url?: string | undefined
  readonly keys?: string | undefined
  readonly ranges?: string | undefined
}

export interface LocalAgents extends Agents {
  /** Looks whether a file has changed, as the timer does. */
  look(): Promise<void>
  stop(): void
}

/** Milliseconds between two looks at the files. */
const EVERY = 2000

/**
 * Names the agents of the configuration by their key files and lists of addresses. Each file is read at start, and again
 * when it has changed; a new one with a problem leaves the old one in force. Nothing is ever asked over the network.
 *
 * A signature counts before the address. A key that two agents have in their files names the first of them.
 *
 * @param publicUrl what signatures are made for; without it none is looked at.
 * @throws {Error} at start, with a sentence for the operator.
 */
export async function localAgents(
  settings: readonly AgentSettings[],
  publicUrl: string | undefined,
  log: Log,
  everyMs = EVERY,
): Promise<LocalAgents> {
  const signing = await Promise.all(
    settings.flatMap(({ name, url, keys }) =>
      keys === undefined
        ? []
        : [fileInForce(keys, readKeyFile, 'agent file', log).then((file) => ({ name, url, file }))],
    ),
  )
  const listed = await Promise.all(
    settings.flatMap(({ name, ranges }) =>
      ranges === undefined
        ? []
        : [fileInForce(ranges, readCidrList, 'agent file', log).then((file) => ({ name, file }))],
    ),
  )
  const files = [...signing, ...listed].map(({ file }) => file)
  const watching = files.length === 0 ? { look: async () => {}, stop: () => {} } : await watchStill(files, everyMs)
  const verifier: Verifier | undefined =
    publicUrl === undefined || signing.length === 0 ? undefined : { origin: publicUrl, keyOf }

  return {
    ...watching,
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
      const key = file.now().get(keyid)
      if (key) return { name, url, key }
    }
    return undefined
  }

  function nameAt(address: string): string | undefined {
    const place = parseAddressRange(address)
    return place && listed.find(({ file }) => file.now().covers(place) === 'all')?.name
  }
}
