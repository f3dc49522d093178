import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { type Fields, readFields } from './body.ts'

/**
 * Holds a request back before it is looked at; for test mode alone.
 *
 * A step before the operation, so that the operation's own deadline does not cut it short.
 */
export function late(byMs: (fields: Fields) => number): RequestHandler {
  return async (req, _res, next) => {
    await sleep(msOf(req.get('content-type'), req.body, byMs))
    next()
  }
}

/** Holds back no value that cannot be read: the operation says what is wrong with it. */
function msOf(contentType: string | undefined, body: unknown, byMs: (fields: Fields) => number): number {
  try {
    return byMs(readFields(contentType, body))
  } catch {
    return 0
  }
}
