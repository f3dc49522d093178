import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { parseAddress } from '../../domain/address.ts'

/**
 * Share of all connections from which on idle ones are kept for a short time only, and an address has no more of them than
 * all who are there would have in equal parts: to close a new connection costs a quarter of what it costs to serve it, so
 * that the others do not wait behind a flood of them (`npm run dos`: 917 ms at the 95th percentile without).
 */
const CROWDED = 0.25
/** Connections that an address may have however many others there are: a browser opens six, a school three visits a second. */
const LEAST_PART = 16
/** Milliseconds that an idle connection is kept then. */
const SHORT_KEEP_ALIVE = 5000
/** Share of all connections that is closed at once when the last place is taken: one search for idle ones makes room for many. */
const ROOM = 0.01
/** Milliseconds between two reports. */
const REPORT_MS = 1000

/** Connections of a second that did not get, or keep, a place. */
export interface Crowd {
  /** New ones of an address that has all it may have. */
  readonly ofOneAddress: number
  /** New ones that came when every place was taken by a request in progress. */
  readonly refused: number
  /** Idle ones that made room. */
  readonly closed: number
}

export interface ConnectionLimits {
  /** Connections at a time. */
  readonly most: number
  /** Connections of one address (IPv6: of a /64) at a time. */
  readonly perAddress: number
  /** Peers that speak for many visitors: not counted by address, and never closed to make room. */
  readonly trusts: (peer: string) => boolean
  /** A request of it waits for its answer. */
  readonly isBusy: (socket: Socket) => boolean
  /** Told once a second, if there is anything to tell. */
  readonly crowded: (crowd: Crowd) => void
}

export interface Connections {
  /** A request has come by it. */
  used(socket: Socket): void
  end(): void
}

/** The machine itself: a proxy beside the service, a health check. */
const isOwn = (peer: string): boolean => peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1'

/**
 * Gives each new connection a place, before Node.js makes a parser for it. An address has its share; when all places are
 * taken, those that were idle for longest make room, so that nobody can hold them all and do nothing.
 *
 * Node.js would only count (`maxConnections`), and close what comes after the last place is taken, from any address.
 */
export function limitConnections(
  server: Server,
  { most, perAddress, trusts, isBusy, crowded }: ConnectionLimits,
): Connections {
  const uncrowded = most * CROWDED
  const accept = server.listeners('connection') as ((socket: Socket) => void)[]
  const longKeepAlive = server.keepAliveTimeout
  /** Whose share each counts in (undefined: nobody's), in the order of their last requests. */
  const places = new Map<Socket, string | undefined>()
  const counts = new Map<string, number>()
  /** Those that count in somebody's share. */
  let total = 0
  let report = { ofOneAddress: 0, refused: 0, closed: 0 }
  const reporting = setInterval(() => {
    if (report.ofOneAddress + report.refused + report.closed === 0) return
    crowded(report)
    report = { ofOneAddress: 0, refused: 0, closed: 0 }
  }, REPORT_MS)
  reporting.unref()

  function enter(socket: Socket): void {
    if (places.size >= most && !makeRoom()) {
      report.refused++
      socket.destroy()
      return
    }
    places.set(socket, undefined)
    socket.once('close', () => leave(socket))
    const peer = socket.remoteAddress ?? ''
    if (!isOwn(peer) && !trusts(peer)) {
      const address = parseAddress(peer)?.subscriber ?? peer
      const count = counts.get(address) ?? 0
      if (count >= perAddress || (isCrowded() && count >= equalPart())) {
        report.ofOneAddress++
        socket.destroy()
        return
      }
      counts.set(address, count + 1)
      places.set(socket, address)
      total++
      adaptKeepAlive()
    }
    for (const each of accept) each.call(server, socket)
  }

  function leave(socket: Socket): void {
    const address = places.get(socket)
    places.delete(socket)
    if (address === undefined) return
    total--
    adaptKeepAlive()
    const left = counts.get(address)! - 1
    if (left === 0) counts.delete(address)
    else counts.set(address, left)
  }

  function adaptKeepAlive(): void {
    server.keepAliveTimeout = isCrowded() ? SHORT_KEEP_ALIVE : longKeepAlive
  }

  function isCrowded(): boolean {
    return total > uncrowded
  }

  function equalPart(): number {
    return Math.max(LEAST_PART, uncrowded / counts.size)
  }

  /** Closes the idle connections that were used longest ago. @returns whether there was one. */
  function makeRoom(): boolean {
    const target = Math.ceil(most * ROOM)
    let closed = 0
    for (const [socket, address] of places) {
      if (address === undefined || isBusy(socket)) continue
      socket.destroy()
      // Its event comes later, and its place is wanted now.
      leave(socket)
      closed++
      if (closed === target) break
    }
    report.closed += closed
    return closed > 0
  }

  server.removeAllListeners('connection')
  server.on('connection', enter)
  return {
    used(socket) {
      if (!places.has(socket)) return
      const address = places.get(socket)
      places.delete(socket)
      places.set(socket, address)
    },
    end: () => clearInterval(reporting),
  }
}
