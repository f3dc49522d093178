import type { Request, Response } from 'express'
import type { VisitorAddress } from '../../domain/address.ts'
import type { RequestFacts } from '../../score/signals.ts'
import type { SignedRequest } from '../../domain/named-agent.ts'
import type { Caller } from '../../protocol/caller.ts'
import { clientAddress } from './client-ip.ts'
import { note } from './request-log.ts'

/** Proxies between visitors and us. */
export interface Front {
  /** In which a trusted proxy passes on the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader: string | undefined
}

/** The front of requests that no visitor makes. */
export const NO_FRONT: Front = { tlsFingerprintHeader: undefined }

/** The caller of a request, as the operations see it. The full address stays in memory; logs get its network. */
export function callerOf(req: Request, res: Response, front: Front): Caller {
  const address = clientAddress(req, res)
  let facts: RequestFacts | undefined
  return {
    address: subscriberOf(address),
    origin: req.get('origin'),
    // Not a getter: V8 makes that of an object literal old at birth, and with it all that it reaches. Each request and
    // response was then copied twice and kept until the next great collection: 41 µs of CPU a request for the
    // collector, of 200, against 9 (bench/siteverify.mjs).
    facts: () => (facts ??= factsOf(req, front)),
    signed: () => (req.headers['signature-input'] === undefined ? undefined : signedRequest(req)),
    note: (fields) => note(res, fields),
  }
}

/** The address that counts for one visitor: of IPv6, the beginning of its /64. */
export const subscriberOf = (address: VisitorAddress | undefined): string | undefined =>
  address?.subscriber.replace(/\/64$/, '')

/** Every line of a header, because `req.headers` drops the second of some. */
function signedRequest({ method, url, rawHeaders }: Request): SignedRequest {
  return {
    method,
    target: url,
    fields: (name) => rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name),
  }
}

function factsOf(req: Request, { tlsFingerprintHeader }: Front): RequestFacts {
  const header = (name: string): string | undefined => req.get(name)
  return {
    userAgent: header('user-agent') ?? '',
    fetchSite: header('sec-fetch-site'),
    fetchMode: header('sec-fetch-mode'),
    fetchDest: header('sec-fetch-dest'),
    clientHints: header('sec-ch-ua'),
    ja4: tlsFingerprintHeader !== undefined && isFromProxy(req) ? header(tlsFingerprintHeader) : undefined,
  }
}

/** Reports whether our own proxy sent this; Express' `trust proxy` is set to the configured ranges. Visitors' own claims are nothing. */
const isFromProxy = (req: Request): boolean =>
  (req.app.get('trust proxy fn') as (address: string | undefined, hops: number) => boolean)(req.socket.remoteAddress, 0)
