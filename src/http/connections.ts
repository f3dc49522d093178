import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { parseAddress } from '../domain/address.ts'
import type { Trusts } from './client-address.ts'

export interface ConnectionLimits {
  /** Connections at a time. */
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
 * Limits the connections of a server, so that no peer can take all of them. When all are in use, connections that are waiting for
 * their client are closed to make room.
 *
 * @param open every connection, the oldest first, with the answers that it is owed.
 */
export function limitConnections(
  server: Server,
  { most, perAddress, trusts, crowded }: ConnectionLimits,
  open: ReadonlyMap<Socket, ReadonlySet<ServerResponse>>,
): void {
  /** By address. */
  const counts = new Map<string, number>()
  /** The connections that are counted, the oldest first. */
  const counted = new Set<Socket>()
  const turnedAway = eachSecond(crowded)

  /** Reports whether a connection waits for its client: to ask, to send the rest of its request, or to read an answer. */
  function waits(socket: Socket): boolean {
    for (const { req, writableEnded } of open.get(socket) ?? []) if (req.complete && !writableEnded) return false
    return true
  }

  /** Closes the oldest that wait, many at a time. @returns whether there was one. */
  function makeRoom(): boolean {
    let closed = 0
    for (const socket of counted) {
      if (closed >= most / 100) break
      if (!waits(socket)) continue
      socket.destroy()
      closed++
    }
    return closed > 0
  }

  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? ''
    const isCounted = !isOwn(peer) && !trusts(peer)
    const address = parseAddress(peer)?.subscriber ?? peer
    const count = counts.get(address) ?? 0
    if ((isCounted && count >= perAddress) || (open.size > most && !makeRoom())) {
      turnedAway()
      socket.destroy()
    } else if (isCounted) {
      counted.add(socket)
      counts.set(address, count + 1)
      socket.once('close', () => {
        counted.delete(socket)
        const left = counts.get(address)! - 1
        if (left === 0) counts.delete(address)
        else counts.set(address, left)
      })
    }
  })
}

/** Counts calls, and reports their number a second after the first. */
export function eachSecond(report: (count: number) => void): () => void {
  let count = 0
  function tell(): void {
    report(count)
    count = 0
  }
  return () => {
    if (count++ === 0) setTimeout(tell, 1000).unref()
  }
}
