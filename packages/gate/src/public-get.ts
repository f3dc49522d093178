/** Gets a document that a public server publishes. */
import { lookup } from 'node:dns'
import { get } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { isPublic } from './ranges.ts'

/** Bytes; a directory of one key has 200. */
const MOST_BYTES = 64 * 1024
/** Milliseconds for all of it: the name, the connection, and the answer. */
const TIMEOUT_MS = 10_000

/**
 * Finds the addresses of a name, all of which must be public: the gate stands where it reaches machines that strangers do not,
 * and the owner of a name decides where it points at the moment of the connection.
 */
export const lookupPublic: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '')
    const inside = found.find(({ address }) => !isPublic(address))
    if (inside || found.length === 0)
      return done(new Error(`${hostname} has an address that is not public`), '')
    if (options.all === true) return done(null, found)
    return done(null, found[0]!.address, found[0]!.family)
  })

/** How a connection is made; a test names a server of its own. */
export interface Way {
  readonly lookup: LookupFunction
  /** Certificates of authorities, beside those that Node.js knows. */
  readonly ca?: string
}
const OPEN_WAY: Way = { lookup: lookupPublic }

/**
 * Returns the text at an https address. Follows no redirect, which would let whoever controls one page of a host choose
 * the keys of all of it.
 *
 * @throws {Error}
 */
export async function publicGet(url: string, way: Way = OPEN_WAY): Promise<string> {
  const { protocol, hostname } = new URL(url)
  // A literal address is never looked up.
  if (protocol !== 'https:' || isIP(hostname.replaceAll(/^\[|\]$/g, '')) !== 0)
    throw new Error('is no https address with a name')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { ...way, signal, agent: false }, resolve).on('error', reject)
  })
  try {
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    answer.destroy()
  }
}
