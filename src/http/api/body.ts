import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import { countMembers } from './json-text.ts'

/** A request's fields by name, as they came; nothing of a prototype is ever among them. */
export interface Fields extends ReadonlyMap<string, unknown> {
  /** The JSON that they were read from; undefined: a form. */
  readonly json?: string
}

/** Bytes; docs/design/contract.md, "What every operation shares". */
export const BODY_LIMIT = 16 * 1024

/** Fields of a form; the longest request has five. */
const MOST_FIELDS = 256

/**
 * Takes the body as bytes, at most 16 KiB, never decompressed. Reading it is ours: the usual parsers hide a repeated
 * field, their errors carry the body, secret and all, to any code that prints them (docs/design/threats.md#t15 and docs/design/threats.md#t16), and they
 * answer "too large" only once everything has arrived. Bytes after a refusal are read and thrown away, framed
 * as it was announced: closing at once would lose the answer, and it must not be read as the next request.
 */
export const takeBody: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = []
  let size = 0
  let settled = false
  const fault = refusal(req)
  if (fault !== undefined) return drop(fault)
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_LIMIT) drop(new Fault('payload-too-large'))
    else chunks.push(chunk)
  })
  req.on('end', () => {
    if (settled) return
    settled = true
    req.body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    next()
  })
  // Nobody is left to hear it; the request ends all the same. Every request closes in the end: no fault for the others.
  const ended = (): void => {
    if (!req.complete) drop(new Fault('bad-request'))
  }
  req.on('error', ended)
  req.on('close', ended)

  function drop(why: Fault): void {
    if (settled) return
    settled = true
    req.resume()
    // Once the parser has seen what came with it: of a request that is not HTTP after all, only that is said.
    queueMicrotask(() => next(why))
  }
}

/** Reports whether nothing in the head of a request is against its body. */
export const isWelcome = (req: IncomingMessage): boolean => refusal(req) === undefined

/** Objections of the head of a request to its body. */
function refusal({ headers }: IncomingMessage): Fault | undefined {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers
  if (encoding.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked') {
    return new Fault('unsupported-media-type')
  }
  return Number(headers['content-length'] ?? 0) > BODY_LIMIT ? new Fault('payload-too-large') : undefined
}

/**
 * Reads the fields of a JSON object or of a form.
 *
 * @throws {Fault} `unsupported-media-type`, or `bad-request` for whatever is malformed or says one thing twice.
 */
export function readFields(contentType: string | undefined, body: unknown): Fields {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (contentType === undefined && bytes.length === 0) return new Map()
  switch (mediaType(contentType)) {
    case 'application/json':
      return readJson(decode(bytes))
    case 'application/x-www-form-urlencoded':
      return readForm(decode(bytes))
    default:
      throw new Fault('unsupported-media-type')
  }
}

/** The type without its parameters, of which only `charset=utf-8` is known; anything else is refused. */
function mediaType(contentType: string | undefined): string {
  // Nearly all that come.
  if (contentType === 'application/x-www-form-urlencoded' || contentType === 'application/json') return contentType
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase())
  const isReadable = parameters.every((parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter))
  return isReadable ? type : ''
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Fault('bad-request')
  return bytes.toString('utf8')
}

/**
 * Reads a JSON object. Its depth and members are counted on the text first: parsing and checking what is refused anyway cost
 * 26 times as much as an honest challenge (docs/design/threats.md#t17).
 */
function readJson(text: string): Fields {
  const members = countMembers(text)
  if (members === undefined) throw new Fault('bad-request')
  const value = parsed(text, JSON.parse as (text: string) => unknown)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Fault('bad-request')
  const fields = new Map(Object.entries(value))
  // JSON.parse lets the last of two equal members win, and another reader may take the first.
  if (members !== fields.size) throw new Fault('bad-request')
  return Object.assign(fields, { json: text })
}

function readForm(text: string): Fields {
  const fields = new Map<string, string>()
  const pairs = text.split('&', MOST_FIELDS + 1)
  if (pairs.length > MOST_FIELDS) throw new Fault('bad-request')
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals))
    if (fields.has(name)) throw new Fault('bad-request')
    fields.set(name, equals === -1 ? '' : decodePart(pair.slice(equals + 1)))
  }
  return fields
}

function decodePart(part: string): string {
  // Tokens and secrets never need it, and it takes 1 µs each time; a pattern would take half of that to find out.
  if (!part.includes('%') && !part.includes('+')) return part
  return parsed(part.replaceAll('+', ' '), decodeURIComponent)
}

/**
 * Parses a text of the body.
 *
 * @param parse throws an error that quotes the text: it is not kept, not even as a cause, and its stack is never made.
 * @throws {Fault} `bad-request`
 */
function parsed<T>(text: string, parse: (text: string) => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return parse(text)
  } catch {
    throw new Fault('bad-request')
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
