import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { parseAddress } from '../domain/address.ts'
import type { Trusts } from './client-address.ts'

/** Connections of one address that are always allowed: a browser opens six, a school three visits a second. */
const LEAST_PART = 16
/** Milliseconds that an idle connection is kept while there are many. */
const SHORT_KEEP_ALIVE = 5000
/** Milliseconds between two reports. */
const REPORT_MS = 1000

export interface ConnectionLimits {
  /** Connections at a time. From a quarter of them on, an address has no more than all would have in equal parts. */
  readonly most: number
  /** Connections of one address (IPv6: of a /64) at a time; trusted proxies and the machine itself are not counted. */
  readonly perAddress: number
  readonly trusts: Trusts
  /** Reports whether a request of it waits for its answer. */
  readonly isBusy: (socket: Socket) => boolean
  /** Told once a second how many were refused, if any. */
  readonly refused: (connections: number) => void
}

/** The machine itself: a proxy beside the service, a health check. */
const isOwn = (peer: string): boolean => peer === '127.0.0.1' || peer === '::1' || peer === '::ffff:127.0.0.1'

/** Limits the connections of a server, so that nobody can hold all of them. Where all are taken, idle ones make room. */
export function limitConnections(
  server: Server,
  { most, perAddress, trusts, isBusy, refused }: ConnectionLimits,
): void {
  const many = most / 4
  const longKeepAlive = server.keepAliveTimeout
  /** The address of each connection that is counted, the oldest first. */
  const addresses = new Map<Socket, string>()
  const counts = new Map<string, number>()
  let [all, turnedAway] = [0, 0]
  const reporting = setInterval(() => {
    if (turnedAway > 0) refused(turnedAway)
    turnedAway = 0
  }, REPORT_MS)
  reporting.unref()
  server.on('close', () => clearInterval(reporting))

  function enter(socket: Socket, address: string): void {
    addresses.set(socket, address)
    counts.set(address, (counts.get(address) ?? 0) + 1)
    socket.once('close', () => leave(socket, address))
    adaptKeepAlive()
  }

  function leave(socket: Socket, address: string): void {
    addresses.delete(socket)
    const left = counts.get(address)! - 1
    if (left === 0) counts.delete(address)
    else counts.set(address, left)
    adaptKeepAlive()
  }

  function adaptKeepAlive(): void {
    server.keepAliveTimeout = addresses.size > many ? SHORT_KEEP_ALIVE : longKeepAlive
  }

  /** Closes the oldest idle connections, many at a time. @returns whether there was one. */
  function makeRoom(): boolean {
    const idle = [...addresses.keys()].filter((socket) => !isBusy(socket)).slice(0, Math.ceil(most / 100))
    for (const socket of idle) socket.destroy()
    return idle.length > 0
  }

  /** An address has its share; while there are many connections, no more than all would have in equal parts. */
  function hasShare(address: string): boolean {
    const part = addresses.size > many ? Math.max(LEAST_PART, many / counts.size) : perAddress
    return (counts.get(address) ?? 0) < Math.min(part, perAddress)
  }

  server.on('connection', (socket: Socket) => {
    all++
    socket.once('close', () => all--)
    const peer = socket.remoteAddress ?? ''
    const isCounted = !isOwn(peer) && !trusts(peer)
    const address = parseAddress(peer)?.subscriber ?? peer
    if ((all > most && !makeRoom()) || (isCounted && !hasShare(address))) {
      turnedAway++
      socket.destroy()
    } else if (isCounted) enter(socket, address)
  })
}
