import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import express, { type Request, type RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import { isGroup } from '../schema/problem.ts'
import { BODY_LIMIT } from '../wire.ts'

/** A request's fields by name, as they came; nothing of a prototype is ever among them. */
export type Fields = ReadonlyMap<string, unknown>

/** Fields of a form, or of a JSON object; the longest request has six. */
const MOST_FIELDS = 256
/** Fields of a multipart form, whose parser takes 3 µs for each. */
const MOST_PARTS = 16

/** Reads the body, never decompressed, and leaves its bytes in `req.body`. */
export const takeBody: RequestHandler[] = [
  // Deferred until the parser has read what came with it: a request that is not HTTP after all gets only that error.
  (req, _res, next) => queueMicrotask(() => next(refusal(req))),
  express.raw({ limit: BODY_LIMIT, inflate: false, type: () => true }),
]

/**
 * Takes the bytes that were read here, or what a parser of the program that we are mounted in has made of them: fields or a
 * text. Such a parser has dropped what `readFields` refuses, such as the first of two equal members.
 */
export function fieldsIn({ body: read, headers }: Request): Fields | Promise<Fields> {
  const body: unknown = read
  if (isGroup(body) && !Buffer.isBuffer(body)) return new Map(Object.entries(body))
  if (body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body))
    throw Fault.of('bad-request')
  return readFields(
    headers['content-type'] ?? '',
    Buffer.isBuffer(body) ? body : Buffer.from(body ?? ''),
  )
}

/**
 * The challenge in a body that is not parsed yet, as far as it is spelled as it was issued, which needs no escapes.
 *
 * @returns undefined where a parser of the program that we are mounted in has read the body.
 */
export const challengeIn = ({ body }: Request): string | undefined =>
  Buffer.isBuffer(body)
    ? (/challenge(?:=|"[\s:]*"?)([\w.-]+)/.exec(body.toString('latin1'))?.[1] ?? '')
    : undefined

/** Characters of `Signature-Input`: an agent's has some 400, and proxies may add their own. */
const LONGEST_SIGNATURE_INPUT = 2048

/** Returns why a request is refused by its head alone; undefined if its body is to be read. */
export function refusal(req: IncomingMessage): Fault | undefined {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } =
    req.headers
  // Node.js joins the lines of this header.
  const signatureInput = (req.headers['signature-input'] ?? '') as string
  if (signatureInput.length > LONGEST_SIGNATURE_INPUT) return Fault.of('bad-request')
  if (encoding.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked') {
    return Fault.of('unsupported-media-type')
  }
  return Number(req.headers['content-length'] ?? 0) > BODY_LIMIT
    ? Fault.of('payload-too-large')
    : undefined
}

/**
 * Parses a JSON object or a form. The usual parsers hide a repeated field, and their errors quote the body, secret and all
 * (docs/design/threats.md#t15 and docs/design/threats.md#t16).
 *
 * @throws {Fault} `unsupported-media-type`, or `bad-request` for whatever is malformed or says one thing twice.
 */
export function readFields(contentType: string, bytes: Buffer): Fields | Promise<Fields> {
  if (contentType === '' && bytes.length === 0) return new Map()
  const read = READERS.get(mediaType(contentType))
  if (!read) throw Fault.of('unsupported-media-type')
  if (!isUtf8(bytes)) throw Fault.of('bad-request')
  return read(bytes.toString(), contentType)
}

/** The type without its parameters, of which only `charset=utf-8` is known, and what a multipart form has; anything else is refused. */
function mediaType(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type === 'multipart/form-data') return parameters.length > 0 ? type : ''
  const isReadable = parameters.every(
    (parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter),
  )
  return isReadable ? type : ''
}

/** Brackets, colons and commas: the longest genuine body has some 570, of which 417 are of 16 × 24 answers of the proof. */
const MOST_MARKS = 768

/**
 * Counts the members of the outermost object of a JSON text, repeated ones included, without parsing it. A text that is not
 * JSON gives some number or undefined, and the parser refuses it.
 *
 * @returns undefined when the text begins with no object, or is deeper or has more members or items than any request.
 */
export function countMembers(text: string): number | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined
  let [outermost, marks, depth] = [0, 0, 0]
  // Not `matchAll`, which makes an object for each match: a visit's summary has some 120.
  for (MARKS.lastIndex = 0; MARKS.test(text);) {
    const mark = text[MARKS.lastIndex - 1]
    if (mark === '"') continue
    if (++marks > MOST_MARKS) return undefined
    if (mark === '{' || mark === '[') depth++
    else if (mark === '}' || mark === ']') depth--
    else if (mark === ':' && depth === 1) outermost++
  }
  return outermost
}

/** What structures a JSON text, and its strings, in which nothing does; one that is not closed goes on to the end. */
const MARKS = /[{}[\],:]|"(?:[^"\\]|\\[^])*"?/g

/** Marks and members are counted on the text first: parsing what is refused anyway costs many times as much (docs/design/threats.md#t43). */
function json(text: string): Fields {
  const members = countMembers(text)
  if (members === undefined || members > MOST_FIELDS) throw Fault.of('bad-request')
  const fields = new Map(Object.entries(parsed(text, JSON.parse) as object))
  // JSON.parse lets the last of two equal members win, and another reader may take the first.
  if (members !== fields.size) throw Fault.of('bad-request')
  return fields
}

function form(text: string): Fields {
  const pairs = text.split('&', MOST_FIELDS + 1).filter((pair) => pair !== '')
  return uniqueFields(
    pairs.map((pair) => {
      const [name] = pair.split('=', 1) as [string]
      return [decodePart(name), decodePart(pair.slice(name.length + 1))]
    }),
  )
}

const decodePart = (part: string): string =>
  // Tokens and secrets have nothing to decode.
  /[%+]/.test(part) ? parsed(part.replaceAll('+', ' '), decodeURIComponent) : part

/** Uses the parser of Node.js' own `fetch`: samples of other vendors send the fields of siteverify like this, without files. */
async function multipart(text: string, contentType: string): Promise<Fields> {
  // Each begins on its own line, and so does the end. Counted first, as in JSON.
  if (text.split('\n--', MOST_PARTS + 2).length > MOST_PARTS + 1) throw Fault.of('bad-request')
  const body = new globalThis.Response(text, { headers: { 'content-type': contentType } })
  const data = await body.formData().catch(() => {
    // Its error is not kept, not even as a cause: it may quote the body.
    throw Fault.of('bad-request')
  })
  return uniqueFields([...data])
}

const READERS = new Map<string, (text: string, contentType: string) => Fields | Promise<Fields>>([
  ['application/json', json],
  ['application/x-www-form-urlencoded', form],
  ['multipart/form-data', multipart],
])

function uniqueFields(pairs: readonly (readonly [string, unknown])[]): Fields {
  const fields = new Map(pairs)
  if (fields.size !== pairs.length || pairs.length > MOST_FIELDS) throw Fault.of('bad-request')
  return fields
}

/** @param parse throws an error that quotes the text: it is not kept, not even as a cause. @throws {Fault} `bad-request` */
export function parsed<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch {
    throw Fault.of('bad-request')
  }
}
