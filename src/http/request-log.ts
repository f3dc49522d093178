import type { Request, RequestHandler, Response } from 'express'
import type { VisitorAddress } from '../domain/address.ts'
import type { Log, Meters, Notes } from '../domain/observing.ts'
import type { Random } from '../domain/ports.ts'
import { PATHS } from '../wire.ts'
import type { ClientAddress, Trusts } from './client-address.ts'

/** What is known about a request while it is answered; of every request that is logged. */
interface RequestContext {
  readonly address: VisitorAddress | undefined
  /** Fields of the request's line so far. */
  readonly notes: Notes
}

/** Keeps contexts outside of `res.locals`, which we may share with the program that we are mounted in. */
const contexts = new WeakMap<Response, RequestContext>()

/** Returns the context of a request; undefined if it is not logged. */
export const contextOf = (res: Response): RequestContext | undefined => contexts.get(res)

/** Adds to the one line that this request logs, and to what is counted of it. */
export function note(res: Response, fields: Notes): void {
  Object.assign(contextOf(res)!.notes, fields)
}

interface RequestLogParts {
  readonly log: Log
  readonly meters: Meters
  readonly random: Random
  readonly trusts: Trusts
  readonly clientAddress: ClientAddress
}

/** Matches what is harmless in a log, a header and a shell; as long as what proxies make (UUIDs, trace ids), and no longer. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/** The last part of each path of ours, and of the scripts. */
const NAMES = [...PATHS].map((path) => path.slice(path.lastIndexOf('/') + 1))
/** A path that was meant for the API: any other may contain a secret, and so may a long name on the way to it. */
const MEANT_FOR_US = new RegExp(
  String.raw`^(?:/[\w.-]{0,24}){0,6}/(?:${NAMES.join('|')}|captcha\.js|compat\.js)/?$`,
)

/** Says what was asked for where no operation was, so that a proxy that changes paths or methods can be found. */
function addressNotes({ method, path }: Request): Notes {
  return { method, ...(MEANT_FOR_US.test(path) && { path }) }
}

/**
 * Begins the one line per request, written and counted when the answer is out or the connection gone.
 *
 * The id is that of a trusted proxy, so that its log and ours tell of the same request; a visitor must not choose what our log
 * says. It is answered, so that a customer can name the request whose line an operator is to look for.
 */
export const requestLog =
  ({ log, meters, random, trusts, clientAddress }: RequestLogParts) =>
  (operation: string): RequestHandler =>
  (req, res, next) => {
    const started = performance.now()
    const sent = req.get('x-request-id')
    const id =
      sent !== undefined && REQUEST_ID.test(sent) && trusts(req.socket.remoteAddress)
        ? sent
        : random.id()
    const address = clientAddress(req)
    const notes: Notes = { request_id: id, ...(operation === 'other' && addressNotes(req)) }
    contexts.set(res, { address, notes })
    res.set('X-Request-Id', id)
    res.on('close', () => {
      note(res, {
        ...(address && { network: address.network }),
        status: res.writableFinished ? res.statusCode : 499,
        ms: Math.round((performance.now() - started) * 10) / 10,
      })
      log.info(operation, notes)
      meters.request(operation, notes)
    })
    next()
  }
