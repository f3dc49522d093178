import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isIP } from 'node:net'
import { localAgents } from '../agents/agents.ts'
import { readPastedRequest } from '../agents/pasted-request.ts'
import { KEY_DIRECTORY, keyFileText, rangeFileText } from '../agents/published.ts'
import { parseMoment } from '../config/checks/secrets.ts'
import { replaceFile } from '../config/edit/replace-file.ts'
import type { SignatureRefusal } from '../domain/named-agent.ts'
import { command, group, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settings } from './settings.ts'

/** Milliseconds for the whole download. */
const PATIENCE = 20_000
/** Bytes of a published list; the longest that are known have some 100 kB. */
const LARGEST = 8 * 1024 * 1024

const fetchAgent = command(
  {
    name: 'agents fetch',
    summary: 'downloads the keys or the addresses of an agent into its file',
    about: `Asks the "url" of an agent, over TLS, and writes its "keys" or "ranges" file: keys from
${KEY_DIRECTORY} below the url's host, addresses from the url itself.
A running service takes the new file within seconds. Without this command nothing is ever asked over the network: run
it by hand, or each day by cron. A download with a problem leaves the old file as it is.`,
    operands: ['NAME'],
    options: CONFIG,
    examples: ['hv agents fetch chatgpt'],
    refusal: 'the download failed or cannot be used; the old file stays',
    consequence: 'nothing was downloaded',
  },
  async (options, io, [name]) => {
    const config = settings(options.config, io)
    const agent = config.agents.find((each) => each.name === name)
    if (!agent) throw new UsageError(`${config.file} has no agent "${name}"`)
    const file = (agent.keys ?? agent.ranges)!
    if (agent.url === undefined) {
      io.err(`agent ${agent.name} has no url in ${config.file}: its file is kept by hand`)
      return EXIT.problems
    }
    const address = agent.keys === undefined ? agent.url : new URL(KEY_DIRECTORY, agent.url).href
    io.progress?.(`asking ${address}`)
    try {
      const published = await download(address)
      const text = agent.keys === undefined ? rangeFileText(published) : keyFileText(published)
      mkdirSync(dirname(file), { recursive: true })
      replaceFile(file, 0o644, () => text)
      io.out(`${file}: written from ${address}`)
      return EXIT.done
    } catch (error) {
      io.err(`${address} ${sentence(error)}; ${file} was not changed`)
      return EXIT.problems
    }
  },
)

/** @throws {Error} with the end of a sentence whose subject is the address. */
async function download(address: string): Promise<string> {
  // A redirect would let whoever controls one page of the host choose the keys.
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE) })
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

function sentence(error: unknown): string {
  const { message, cause } = error as Error
  return message === 'fetch failed'
    ? `did not answer (${(cause as Error | undefined)?.message ?? 'no reason'})`
    : message
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

const testAgent = command(
  {
    name: 'agents test',
    summary: 'says which agent a request comes from, and why not',
    about: `Reads the head of a request, as a log or a browser's network panel shows it (request line, then headers), and verifies its
signature with the key files of the configuration, as the service does at challenge and solve. The host is that of
"public_url". Nothing is asked over the network.`,
    options: {
      request: { type: 'string', value: 'FILE', default: '-', says: 'the request; -: standard input' },
      ip: { type: 'string', value: 'ADDRESS', says: 'the address that it comes from' },
      at: { type: 'string', value: 'TIME', says: 'RFC 3339 with an offset: when it came. Left out: now' },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: [
      'hv agents test --request request.txt',
      'hv agents test --request request.txt --at 2026-11-23T12:00:00Z --json',
    ],
    refusal: 'the request names no agent',
    consequence: 'no request was looked at',
  },
  async ({ request, ip, at, config: file, json }, io) => {
    const config = settings(file, io)
    if (ip !== undefined && isIP(ip) === 0) throw new UsageError(`--ip wants an address; got "${ip}"`)
    const now = at === undefined ? nowOf(io) : parseMoment(at)
    if (now === undefined) throw new UsageError(`--at wants a time such as 2027-01-01T00:00:00Z; got "${at}"`)
    const text = request === '-' ? await io.input?.() : readText(resolve(io.cwd, request))
    const signed = readPastedRequest(text ?? '')
    if (!signed) throw new UsageError('--request wants a request line such as "POST /api/v1/challenge", then headers')

    const agents = await localAgents(config.agents, config.publicUrl, QUIET).catch((error: unknown) => error as Error)
    if (agents instanceof Error) {
      io.err(agents.message)
      return EXIT.problems
    }
    agents.stop()
    const carries = signed.fields('signature-input').length > 0
    const { name, refusal } = agents.of({ signed: () => (carries ? signed : undefined), address: ip }, now)
    const keyless = config.agents.every(({ keys }) => keys === undefined)
    const why =
      refusal === undefined
        ? carries && keyless
          ? 'no agent has keys'
          : 'the request carries no signature'
        : REFUSAL_SAYS[refusal]
    if (json) io.out(JSON.stringify({ agent: name ?? null, refusal: refusal ?? null }, undefined, 2))
    else if (name !== undefined) io.out(name)
    else io.out(`no agent: ${refusal === undefined ? why : `${refusal}: ${why}`}`)
    return name === undefined ? EXIT.problems : EXIT.done
  },
)

const nothing = (): void => {}
const QUIET = { info: nothing, warn: nothing, error: nothing }

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`--request ${file} cannot be read`)
  }
}

/** `hv agents fetch`, `hv agents test`. docs/operate/agents.md */
export const agents = group('agents', 'agents that prove who they are: their files, and requests of theirs', {
  fetch: fetchAgent,
  test: testAgent,
})
