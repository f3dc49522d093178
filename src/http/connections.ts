import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { parseAddress } from '../domain/address.ts'
import type { Trusts } from './client-address.ts'
import { eachSecond } from './overload.ts'

/** Connections of one address that are always allowed: a browser opens six, a school three visits a second. */
const LEAST_PART = 16
/** Milliseconds that an idle connection is kept while there are many. */
const SHORT_KEEP_ALIVE = 5000

export interface ConnectionLimits {
  /** Connections at a time. From a quarter of them on, an address has no more than all would have in equal parts. */
  readonly most: number
  /** Connections of one address (IPv6: of a /64) at a time. */
  readonly perAddress: number
  /** Peers that speak for many visitors, and are not counted by address, as the machine itself is not. */
  readonly trusts: Trusts
  /** Told once a second how many connections were refused, if any. */
  readonly crowded: (connections: number) => void
}

/** The machine itself: a proxy beside the service, a health check. */
const isOwn = (peer: string): boolean => peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1'

/**
 * Limits the connections of a server, so that nobody can hold all of them. Where all are taken, idle ones make room.
 *
 * @param open every connection, with the answers that it waits for.
 */
export function limitConnections(
  server: Server,
  { most, perAddress, trusts, crowded }: ConnectionLimits,
  open: ReadonlyMap<Socket, { readonly size: number }>,
): void {
  const many = most / 4
  const longKeepAlive = server.keepAliveTimeout
  /** The connections that are counted, the oldest first. */
  const counted = new Set<Socket>()
  /** By address. */
  const counts = new Map<string, number>()
  const turnedAway = eachSecond(crowded)

  /** @param by 1: the address has one connection more; -1: one less. */
  function count(address: string, by: 1 | -1): void {
    const connections = (counts.get(address) ?? 0) + by
    if (connections === 0) counts.delete(address)
    else counts.set(address, connections)
    server.keepAliveTimeout = counted.size > many ? SHORT_KEEP_ALIVE : longKeepAlive
  }

  /** Closes the oldest idle connections, many at a time. @returns whether there was one. */
  function makeRoom(): boolean {
    const idle = [...counted].filter((socket) => open.get(socket)?.size === 0).slice(0, Math.ceil(most / 100))
    for (const socket of idle) socket.destroy()
    return idle.length > 0
  }

  /** An address has its share; while there are many connections, no more than all would have in equal parts. */
  function hasShare(address: string): boolean {
    const part = counted.size > many ? Math.max(LEAST_PART, many / counts.size) : perAddress
    return (counts.get(address) ?? 0) < Math.min(part, perAddress)
  }

  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? ''
    const isCounted = !isOwn(peer) && !trusts(peer)
    const address = parseAddress(peer)?.subscriber ?? peer
    if ((open.size > most && !makeRoom()) || (isCounted && !hasShare(address))) {
      turnedAway()
      socket.destroy()
    } else if (isCounted) {
      counted.add(socket)
      count(address, 1)
      socket.once('close', () => {
        counted.delete(socket)
        count(address, -1)
      })
    }
  })
}
