/** The messages of Node.js, as this room reads and answers them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FailureAnswer } from '../wire.ts'

/** A request, with what Express' router adds to it. */
export type Incoming = IncomingMessage & { readonly originalUrl?: string; body?: unknown }

/** Middleware that needs no member of Express' own messages. */
export type Handler = (
  req: Incoming,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => unknown

/** An application, ours or a test's. @param unreadable called when the path of a request cannot be parsed. */
export type App = (req: IncomingMessage, res: ServerResponse, unreadable?: () => void) => void

/** The value of a header that Node.js joins where it is repeated, which is any but `set-cookie`. @param name lowercase. */
export const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined =>
  headers[name] as string | undefined

/** Answers with JSON. It is sent whole, whatever the request says of a copy that its sender has. */
export function sendJson(res: ServerResponse, status: number, answer: object): void {
  const text = JSON.stringify(answer)
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

/** The body of every answer that is no verdict. */
export const failure = (codes: FailureAnswer['error-codes']): FailureAnswer => ({
  success: false,
  'error-codes': codes,
})
