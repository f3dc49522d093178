import { localAgents } from '../agents/agents.ts'
import { readPastedRequest } from '../agents/pasted-request.ts'
import { KEY_DIRECTORY, keyFileText, rangeFileText } from '../agents/published.ts'
import { reasonOf } from '../doctor/finding.ts'
import { replaceFile } from '../settings/edit.ts'
import type { SignatureRefusal } from '../domain/named-agent.ts'
import {
  addressValue,
  configOf,
  configOption,
  define,
  group,
  jsonOption,
  momentValue,
  orProblem,
  print,
  Problem,
  QUIET,
  textOf,
  UsageError,
} from './command.ts'
import { EXIT, type Io } from './io.ts'

/** `hv agents …`: agents that prove who they are. docs/operate/agents.md */
export const agentsCommand = (io: Io) =>
  group('agents', 'agents that prove their identity: files and requests', [fetchCommand(io), testCommand(io)])

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
        throw new Problem(`agent ${agent.name} has no url in ${config.file}: its file is maintained by hand`)
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
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT) })
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

/** Each word of the log in a sentence. docs/operate/agents.md has them too. */
const REFUSAL_SAYS: Readonly<Record<SignatureRefusal, string>> = {
  malformed: 'Signature-Input and Signature cannot be read, or lack created, expires or keyid',
  'other-tag': 'no signature has the tag "web-bot-auth"',
  uncovered: 'the signature has to cover signature-agent, and @authority or @target-uri',
  'unknown-key': 'no key file of the configuration has a key of this keyid',
  'other-agent': 'Signature-Agent names another address than the url of the agent whose key this is',
  'not-yet-valid': 'created lies in the future: compare the clocks',
  expired: 'expires has passed, or created is more than ten minutes ago',
  unsupported: 'alg is not ed25519, or a covered component is absent or not known here',
  invalid: 'the signature does not fit: another host than public_url, another key, or changed headers',
}

const testCommand = (io: Io) =>
  define('test', {
    summary: 'show which agent sent a request, or why none is proven',
    about: `Reads the head of a request, as a log or a browser's network panel shows it (request line, then headers), and verifies its signature with the key files of the configuration, as the service does at challenge and solve. The host is that of "public_url". Nothing is asked over the network.`,
    examples: [
      'hv agents test --request request.txt',
      'hv agents test --request request.txt --at 2026-11-23T12:00:00Z --json',
    ],
    fails: 'the request names no agent',
  })
    .option('--request <FILE>', 'the request; -: standard input', '-')
    .option('--ip <ADDRESS>', 'the address of the client', addressValue)
    .option('--at <TIME>', 'the time of the request, RFC 3339 with an offset. Default: now', momentValue)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ request, ip, at = io.now(), config: file, json }) => {
      const config = configOf(file, io)
      const signed = readPastedRequest(await textOf(request, io))
      if (!signed)
        throw new UsageError('--request: expected a request line such as "POST /api/v1/challenge", then headers')
      const agents = await localAgents(config.agents, config.publicUrl, QUIET).catch(orProblem)
      const carries = signed.fields('signature-input').length > 0
      const { name, refusal } = agents.of({ signed: () => (carries ? signed : undefined), address: ip }, at)
      const hasKeys = config.agents.some(({ keys }) => keys !== undefined)
      const unsigned = carries && !hasKeys ? 'no agent has keys' : 'the request carries no signature'
      const why = refusal === undefined ? unsigned : `${refusal}: ${REFUSAL_SAYS[refusal]}`
      print(io, json, { agent: name ?? null, refusal: refusal ?? null }, () => name ?? `no agent: ${why}`)
      if (name === undefined) io.exitCode = EXIT.problems
    })
