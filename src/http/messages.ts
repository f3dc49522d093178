/** The messages of Node.js, as this room reads and answers them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { FailureAnswer } from '../wire.ts'

export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

/** An application, ours or a test's. @param unreadable called when the path of a request cannot be parsed. */
export type App = (req: IncomingMessage, res: ServerResponse, unreadable?: () => void) => void

/** The body of every answer that is no verdict. */
export const failure = (codes: FailureAnswer['error-codes']): FailureAnswer => ({
  success: false,
  'error-codes': codes,
})
