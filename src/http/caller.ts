import type { Request, Response } from 'express'
import type { RequestFacts } from '../score/signals.ts'
import type { SignedRequest } from '../domain/named-agent.ts'
import type { Caller } from '../operations/caller.ts'
import type { Trusts } from './client-address.ts'
import { contextOf, note } from './request-log.ts'

/** Proxies between visitors and us. */
export interface Front {
  readonly trusts: Trusts
  /** In which a trusted proxy passes on the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader?: string | undefined
}

/** Describes who asks, for the operations. The full address stays in memory; logs get its network. */
export function callerOf(req: Request, res: Response, front: Front): Caller {
  const subscriber = contextOf(res).address?.subscriber
  let facts: RequestFacts | undefined
  return {
    // Of IPv6, the beginning of its /64.
    address: subscriber?.replace(/\/64$/, ''),
    origin: req.get('origin'),
    facts: () => (facts ??= factsOf(req, front)),
    signed: () => (req.headers['signature-input'] === undefined ? undefined : signedRequest(req)),
    note: (fields) => note(res, fields),
  }
}

/** Every line of a header, because `req.headers` drops the second of some. */
function signedRequest({ method, url, rawHeaders }: Request): SignedRequest {
  return {
    method,
    target: url,
    fields: (name) => rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name),
  }
}

function factsOf(req: Request, { tlsFingerprintHeader, trusts }: Front): RequestFacts {
  const header = (name: string): string | undefined => req.get(name)
  return {
    userAgent: header('user-agent') ?? '',
    fetchSite: header('sec-fetch-site'),
    fetchMode: header('sec-fetch-mode'),
    fetchDest: header('sec-fetch-dest'),
    clientHints: header('sec-ch-ua'),
    // Visitors' own claims are nothing.
    ja4:
      tlsFingerprintHeader !== undefined && trusts(req.socket.remoteAddress) ? header(tlsFingerprintHeader) : undefined,
  }
}
