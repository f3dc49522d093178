import type { Request, Response } from 'express'
import type { RequestFacts } from '../domain/signals.ts'
import type { Caller } from '../protocol/caller.ts'
import { clientAddress } from './client-ip.ts'
import { note } from './notes.ts'

/** The caller of a request, as the operations see it. The full address stays in memory; logs get its network. */
export function callerOf(req: Request, res: Response, publicUrl: string | undefined): Caller {
  const address = clientAddress(req)
  return {
    address: address?.network.replace(/\/64$/, ''),
    origin: req.get('origin'),
    // Looked at by `solve` alone.
    get facts() {
      return factsOf(req, publicUrl === undefined ? isLoopback(address?.network) : publicUrl.startsWith('https:'))
    },
    note: (fields) => note(res, fields),
  }
}

function factsOf(req: Request, trustworthy: boolean): RequestFacts {
  const header = (name: string): string | undefined => req.get(name)
  return {
    trustworthy,
    userAgent: header('user-agent') ?? '',
    fetchSite: header('sec-fetch-site'),
    fetchMode: header('sec-fetch-mode'),
    fetchDest: header('sec-fetch-dest'),
    acceptLanguage: header('accept-language'),
    acceptEncoding: header('accept-encoding'),
    clientHints: header('sec-ch-ua'),
    clientPlatform: header('sec-ch-ua-platform')?.replaceAll('"', ''),
    clientMobile: header('sec-ch-ua-mobile'),
    accept: header('accept'),
    headerOrder: req.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()),
  }
}

const isLoopback = (network: string | undefined): boolean =>
  network !== undefined && (network.startsWith('127.') || network === '::/64')
