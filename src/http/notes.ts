import type { RequestHandler, Response } from 'express'
import type { Log, LogFields, Random } from '../ports.ts'
import { clientAddress } from './client-ip.ts'

type Notes = { notes?: LogFields }

/** Adds to the one line that this request logs. */
export function note(res: Response, fields: LogFields): void {
  const locals = res.locals as Notes
  locals.notes = { ...locals.notes, ...fields }
}

export const notesOf = (res: Response): LogFields => (res.locals as Notes).notes ?? {}

/** One line per request, written when the answer is out or the connection gone. */
export function logRequest(operation: string, log: Log, random: Random, elapsed: () => number): RequestHandler {
  return (req, res, next) => {
    const started = elapsed()
    note(res, { request_id: random.id() })
    res.once('close', () => {
      const network = clientAddress(req)?.truncated
      log.info(operation, {
        ...notesOf(res),
        ...(network !== undefined && { network }),
        status: res.writableFinished ? res.statusCode : 499,
        ms: Math.round((elapsed() - started) * 10) / 10,
      })
    })
    next()
  }
}
