import express, { type Request, type RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import { isGroup } from '../schema/problem.ts'
import { BODY_LIMIT } from '../wire.ts'
import { type Fields, readFields } from './fields.ts'
import { refusal } from './head.ts'

/**
 * Announces the body of a request of HTTP/2 whose length its sender does not know: HTTP/2 needs no header for it, and
 * `express.raw()` reads only what one of HTTP/1 announces (type-is 2.1).
 */
const announceBody: RequestHandler = ({ httpVersionMajor, headers }, _res, next) => {
  if (httpVersionMajor === 2 && headers['content-length'] === undefined)
    headers['transfer-encoding'] = 'chunked'
  next()
}

/**
 * Reads the body, never decompressed, and leaves its bytes in `req.body`. Not `express.json()` and `express.urlencoded()`: they
 * hide a repeated field and bytes that are no UTF-8, and their errors quote the body, secret and all (docs/design/threats.md#t15
 * and docs/design/threats.md#t16).
 */
export const takeBody: RequestHandler[] = [
  // Deferred until the parser has read what came with it: a request that is not HTTP after all gets only that error.
  (req, _res, next) => queueMicrotask(() => next(refusal(req))),
  announceBody,
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
 * Returns the challenge in a body that is not parsed yet, as far as it is spelled as it was issued, which needs no escapes.
 *
 * @returns undefined where a parser of the program that we are mounted in has read the body.
 */
export const challengeIn = ({ body }: Request): string | undefined =>
  Buffer.isBuffer(body)
    ? (/challenge(?:=|"[\s:]*"?)([\w.-]+)/.exec(body.toString('latin1'))?.[1] ?? '')
    : undefined
