import type { Request } from 'express'

/** Harmless in a log, a header and a shell; as long as what proxies make (UUIDs, trace ids), and no longer. */
const FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/**
 * The id that a trusted proxy gave the request, so that its log and ours tell of the same one.
 *
 * From anybody else it is nothing: a visitor must not choose what our log says.
 */
export function requestId(req: Request): string | undefined {
  const id = req.get('x-request-id')
  if (id === undefined || !FORM.test(id)) return undefined
  const trusts = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return trusts(req.socket.remoteAddress ?? '', 0) ? id : undefined
}
