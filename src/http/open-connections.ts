import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LINGER_MS, LISTENER } from './listener-limits.ts'

/** The open connections of a listener, and the response that each is owed. */
export class OpenConnections {
  /** Every connection, the oldest first; undefined: it is owed nothing. */
  readonly owed = new Map<Socket, ServerResponse | undefined>()
  readonly #pipelining = new WeakSet<Socket>()
  #accepted = 0
  #isDraining = false

  /** How many were accepted so far. */
  get accepted(): number {
    return this.#accepted
  }

  add(socket: Socket): void {
    this.#accepted++
    this.owed.set(socket, undefined)
    socket.once('close', () => this.owed.delete(socket))
  }

  /** Reports whether a connection keeps its place at its address although it is owed nothing. */
  keepsPlace(socket: Socket): boolean {
    return this.#pipelining.has(socket)
  }

  /**
   * Takes one request at a time: no browser and no proxy sends another one before it is answered. A client that does gets one
   * answer, and asks again on another connection (RFC 9112, section 9.3.2).
   *
   * @returns whether the request is to be answered.
   */
  begin(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req
    // It was parsed from the same packet as a request whose connection is closed already.
    if (!this.owed.has(socket)) return false
    if (this.owed.get(socket) !== undefined || this.#pipelining.has(socket)) {
      this.#pipelining.add(socket)
      // It is paused later, because Node.js reads on when it has parsed this request.
      process.nextTick(() => socket.pause())
      return false
    }
    this.owed.set(socket, res)
    res.once('close', () => this.#end(req))
    if (this.#isDraining) res.setHeader('Connection', 'close')
    return true
  }

  /** Ends each connection after its answer from now on. */
  drain(): void {
    this.#isDraining = true
    for (const [socket, res] of this.owed) {
      if (res === undefined && this.#pipelining.has(socket)) socket.destroy()
      if (res?.headersSent === false) res.setHeader('Connection', 'close')
    }
  }

  #end(req: IncomingMessage): void {
    const { socket } = req
    if (this.owed.has(socket)) this.owed.set(socket, undefined)
    // A request that is answered before it has come whole has little time to do so: there is no second answer.
    if (!req.complete) setTimeout(() => req.complete || socket.destroy(), LINGER_MS).unref()
    // Until then it counts against its address: a client that is cut off at once reconnects at once.
    if (this.#pipelining.has(socket))
      setTimeout(() => socket.destroy(), this.#isDraining ? 0 : LISTENER.pipelined).unref()
  }
}
