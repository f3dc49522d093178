import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { parseAddress } from '../domain/address.ts'
import type { Trusts } from './client-address.ts'
import type { OpenConnections } from './open-connections.ts'

export interface ConnectionLimits {
  /** Connections at a time. */
  readonly most: number
  /** Connections of one address (IPv6: of a /64) at a time. A new one takes the place of the oldest that waits for its client. */
  readonly perAddress: number
  /** Peers that speak for many visitors, and are not counted by address, as the machine itself is not. */
  readonly trusts: Trusts
  /** Told once a second how many connections were refused, if any. */
  readonly crowded: (connections: number) => void
}

/** The machine itself: a proxy beside the service, a health check. */
const isOwn = (peer: string): boolean =>
  peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1'

/**
 * Limits the connections of a server, so that no peer can take all of them. When all of the server, or of an address, are in
 * use, connections that are waiting for their client are closed to make room.
 */
export function limitConnections(
  server: Server,
  { most, perAddress, trusts, crowded }: ConnectionLimits,
  connections: OpenConnections,
): void {
  /** The connections that are counted, the oldest first. */
  const counted = new Set<Socket>()
  /** The same by address. */
  const byAddress = new Map<string, Set<Socket>>()
  const turnedAway = eachSecond(crowded)

  /** Reports whether a connection waits for its client: to ask, to send the rest of its request, or to read an answer. */
  function waits(socket: Socket): boolean {
    const res = connections.owed.get(socket)
    return res === undefined || !res.req.complete || res.writableEnded
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

  /** Closes the oldest connection of an address that waits. @returns whether there was one. */
  function makeRoomAt(peers: ReadonlySet<Socket>): boolean {
    for (const socket of peers) {
      if (socket.destroyed || !waits(socket) || connections.keepsPlace(socket)) continue
      socket.destroy()
      return true
    }
    return false
  }

  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? ''
    const isCounted = !isOwn(peer) && !trusts(peer)
    const address = parseAddress(peer)?.subscriber ?? peer
    const peers = byAddress.get(address) ?? new Set()
    const isFull = isCounted && peers.size >= perAddress
    if ((isFull && !makeRoomAt(peers)) || (connections.owed.size > most && !makeRoom())) {
      turnedAway()
      socket.destroy()
    } else if (isCounted) {
      counted.add(socket)
      byAddress.set(address, peers.add(socket))
      socket.once('close', () => {
        counted.delete(socket)
        peers.delete(socket)
        if (peers.size === 0) byAddress.delete(address)
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
