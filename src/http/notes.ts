import type { RequestHandler, Response } from 'express'
import type { Log, Meters, Notes, Random } from '../ports.ts'
import { clientAddress } from './client-ip.ts'
import { requestId } from './request-id.ts'

type Locals = { notes?: Notes }

/** Adds to the one line that this request logs, and to what is counted of it. */
export function note(res: Response, fields: Notes): void {
  const locals = res.locals as Locals
  if (locals.notes === undefined) locals.notes = { ...fields }
  else Object.assign(locals.notes, fields)
}

export const notesOf = (res: Response): Notes => (res.locals as Locals).notes ?? {}

export interface NotesParts {
  readonly log: Log
  readonly meters: Meters
  readonly random: Random
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
}

/** One line per request, written and counted when the answer is out or the connection gone. */
export function logRequest(operation: string, { log, meters, random, elapsed }: NotesParts): RequestHandler {
  return (req, res, next) => {
    const started = elapsed()
    const id = requestId(req) ?? random.id()
    note(res, { request_id: id })
    // So that a customer can name the request whose line an operator is to look for.
    res.setHeader('X-Request-Id', id)
    res.once('close', () => {
      const network = clientAddress(req)?.truncated
      const ms = elapsed() - started
      const notes: Notes = {
        ...notesOf(res),
        ...(network !== undefined && { network }),
        status: res.writableFinished ? res.statusCode : 499,
        ms: Math.round(ms * 10) / 10,
      }
      log.info(operation, notes)
      meters.request(operation, { ...notes, ms })
    })
    next()
  }
}
