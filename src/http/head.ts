import type { IncomingMessage } from 'node:http'
import { Fault } from '../domain/codes.ts'
import { BODY_LIMIT } from '../wire.ts'

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
