import { KEY_DIRECTORY } from '../agents/key-file.ts'
import { keyFileText, rangeFileText } from '../agents/published.ts'
import { reasonOf } from '../doctor/finding.ts'
import { replaceFile } from '../settings/edit.ts'
import { configOf, configOption, define, group, Problem, UsageError } from './command.ts'
import type { Io } from './io.ts'

/** `hv agents …`: agents that prove who they are. docs/operate/agents.md */
export const agentsCommand = (io: Io) =>
  group('agents', 'agents that prove their identity: their files', [fetchCommand(io)])

/** Milliseconds for the whole download. */
const DOWNLOAD_TIMEOUT = 20_000
/** Bytes of a published list; the longest known ones have some 100 kB. */
const LARGEST = 8 * 1024 * 1024

const fetchCommand = (io: Io) =>
  define('fetch', {
    summary: 'download the keys or the addresses of an agent into its file',
    about: `Asks the "url" of an agent, over TLS, and writes its "keys" or "ranges" file: keys from ${KEY_DIRECTORY} below the url's host, addresses from the url itself. A running service reloads the new file within seconds. Without this command nothing is ever asked over the network: run it by hand, or each day by cron. A download with a problem leaves the old file as it is.`,
    examples: ['hv agents fetch chatgpt'],
    fails: 'the download failed or cannot be used; the old file stays',
  })
    .argument('<NAME>')
    .addOption(configOption())
    .action(async (name, { config: option }) => {
      const config = configOf(option, io)
      const agent = config.agents.find((each) => each.name === name)
      if (!agent) throw new UsageError(`${config.file} has no agent "${name}"`)
      const file = (agent.keys ?? agent.ranges)!
      if (agent.url === undefined)
        throw new Problem(
          `agent ${agent.name} has no url in ${config.file}: its file is maintained by hand`,
        )
      const address = agent.keys === undefined ? agent.url : new URL(KEY_DIRECTORY, agent.url).href
      try {
        const published = await download(address)
        const text = agent.keys === undefined ? rangeFileText(published) : keyFileText(published)
        replaceFile(file, 0o644, () => text)
        io.out(`${file}: written from ${address}`)
      } catch (error) {
        throw new Problem(`${address}: ${reasonOf(error)}; ${file} was not changed`)
      }
    })

async function download(address: string): Promise<string> {
  // A redirect would let whoever controls one page of the host choose the keys.
  const answer = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT),
  })
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > LARGEST) throw new Error('sends more than 8 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
