import { validateHeaderValue } from 'node:http'
import type { RequestHandler, Response } from 'express'
import type { Log, Meters, Notes } from '../../ports/observing.ts'
import type { Random } from '../../ports/stores.ts'
import { clientAddress, type Unreadable } from './client-ip.ts'
import { headOf } from './response-head.ts'
import { requestId } from './request-id.ts'

/** Fields of a request's line so far. */
export const notesOf = (res: Response): Notes => ((res.locals as { notes?: Notes }).notes ??= {})

/** Adds to the one line that this request logs, and to what is counted of it. */
export function note(res: Response, fields: Notes): void {
  Object.assign(notesOf(res), fields)
}

export interface NotesParts {
  readonly log: Log
  readonly meters: Meters
  readonly random: Random
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
  readonly unreadable?: Unreadable
}

/** One line per request, written and counted when the answer is out or the connection gone. */
export function logRequest(
  operation: string,
  { log, meters, random, elapsed, unreadable }: NotesParts,
): RequestHandler {
  return (req, res, next) => {
    const started = elapsed()
    const id = requestId(req) ?? random.id()
    note(res, { request_id: id })
    // So that a customer can name the request whose line an operator is to look for.
    // An answer that cannot be sent fails now, while it can still be answered.
    validateHeaderValue('X-Request-Id', id)
    headOf(res)['X-Request-Id'] = id
    const network = clientAddress(req, res, unreadable)?.network
    res.on('close', () => {
      const ms = Math.round((elapsed() - started) * 10) / 10
      if (network !== undefined) note(res, { network })
      note(res, { status: res.writableFinished ? res.statusCode : 499, ms })
      log.info(operation, notesOf(res))
      meters.request(operation, notesOf(res))
    })
    next()
  }
}
