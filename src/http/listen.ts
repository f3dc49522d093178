import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FailureAnswer } from '../wire.ts'
import { refusal } from './body.ts'
import { type ConnectionLimits, eachSecond, limitConnections } from './connections.ts'
import { type App, failure } from './messages.ts'

/** Limits of the listener; times in milliseconds. docs/design/threats.md#t17 */
export const LISTENER = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  /** Without a byte in either direction while an answer is pending. */
  stalledTimeout: 30_000,
  keepAlive: 130_000,
  limits: {
    most: 10_000,
    perAddress: 256,
    trusts: () => false,
    crowded: () => {},
  } satisfies ConnectionLimits,
  /** Until a connection with pipelined requests is closed. */
  pipelined: 10_000,
  /** Header lines of a request. */
  headers: 200,
  /** Bytes of all of them, with the first line. */
  headerBytes: 16_384,
} as const
/** Grace period for a refused client to read the response, in milliseconds. */
const LINGER_MS = 1000
/** Milliseconds in which no connection was used up until those that are idle are closed, once we stopped listening. */
const LAST_ANSWERS_MS = 500
/** Connections that wait to be accepted in a burst; with the default of 511 the system drops those above, and they wait for seconds. */
const BACKLOG = 4096

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /** Still answers everything, and ends each connection after its answer, so that no client reuses one that will be cut. */
  drain(): void
  /** Stops accepting, finishes what is in flight, and cuts what is left after `grace` milliseconds. */
  stop(grace: number): Promise<void>
}

export interface ListenOptions extends Partial<ConnectionLimits> {
  /** Milliseconds that an idle connection is kept: longer than proxies keep theirs, or they send a request into one that we close. */
  readonly keepAlive?: number
  /** Told once a second how many requests had headers of more than `LISTENER.headerBytes`, if any. */
  readonly oversized?: (requests: number) => void
}

/**
 * Listens on an address; port 0 picks a free one.
 *
 * @throws when the address is taken.
 */
export async function listen(
  app: App,
  { host, port }: { host: string; port: number },
  { keepAlive = LISTENER.keepAlive, oversized = () => {}, ...limits }: ListenOptions = {},
): Promise<Listening> {
  /** The responses that each open connection is owed. */
  const owed = new Map<Socket, Set<ServerResponse>>()
  const pipelining = new WeakSet<Socket>()
  let isDraining = false
  let accepted = 0

  const take = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req
    const responses = owed.get(socket)
    // Parsed from the same packet as a request whose connection is closed already.
    if (responses === undefined) return
    // One request at a time: no browser and no proxy sends another one before it is answered. A client that does gets one
    // answer, and asks again on another connection (RFC 9112, section 9.3.2).
    if (responses.size > 0 || pipelining.has(socket)) {
      pipelining.add(socket)
      // Not at once: Node.js reads on when it has parsed this request.
      return process.nextTick(() => socket.pause())
    }
    responses.add(res)
    res.once('close', () => {
      responses.delete(res)
      // A request that is answered before it has come whole has little time to do so: there is no second answer.
      if (!req.complete) setTimeout(() => req.complete || socket.destroy(), LINGER_MS).unref()
      // Until then it counts against its address: a client that is cut off at once reconnects at once.
      if (pipelining.has(socket))
        setTimeout(() => socket.destroy(), isDraining ? 0 : LISTENER.pipelined).unref()
    })
    if (!isPlain(req)) return refuse(socket)
    if (isDraining) res.setHeader('Connection', 'close')
    app(req, res, () => refuse(socket))
  }

  const server = createServer(
    {
      headersTimeout: LISTENER.headersTimeout,
      requestTimeout: LISTENER.requestTimeout,
      keepAliveTimeout: keepAlive,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: LISTENER.headerBytes,
      // Nothing here depends on the Host header; without this the refusal would not be in our shape.
      requireHostHeader: false,
    },
    take,
  )
  server.timeout = LISTENER.stalledTimeout
  // Node.js would drop further headers, X-Forwarded-For among them: `isPlain` refuses such a request.
  server.maxHeadersCount = LISTENER.headers
  server.on('connection', (socket: Socket) => {
    const responses = new Set<ServerResponse>()
    accepted++
    owed.set(socket, responses)
    socket.once('close', () => {
      owed.delete(socket)
      // Node.js closes only the response whose turn it is. The others are closed here, so that their requests are logged.
      process.nextTick(() => responses.forEach((res) => res.destroy().emit('close')))
    })
  })
  const keepsPlace = (socket: Socket): boolean => pipelining.has(socket)
  limitConnections(server, { ...LISTENER.limits, ...limits }, { owed, keepsPlace })
  const overflowed = eachSecond(oversized)
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket
    const { bytesWritten } = socket
    if (error.code === 'ECONNRESET') return void socket.destroy()
    if (error.code === 'HPE_HEADER_OVERFLOW') {
      overflowed()
      return end(socket, '431 Request Header Fields Too Large', 'bad-request')
    }
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuse(socket)
    // After a pause of the process, Node.js sees the time-out before it reads what has arrived: wait until it has been read.
    setImmediate(() => {
      const responses = [...(owed.get(socket) ?? [])]
      const isWhole = responses.length > 0 && responses.every(({ req }) => req.complete)
      if (!isWhole && socket.bytesWritten === bytesWritten) refuse(socket)
    })
  })
  // Node.js would close without a word, and would answer 417 without a body.
  server.on('connect', (_req, socket) => {
    end(socket, '405 Method Not Allowed\r\nAllow: GET, HEAD, POST', 'method-not-allowed')
    socket.resume()
  })
  server.on('checkExpectation', take)
  // Told to go on only where the head does not say already that the body would be refused.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    // A client that does not send the body now must not have its next request taken for one.
    if (!refusal(req)) res.writeContinue()
    else res.setHeader('Connection', 'close')
    take(req, res)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Without a host Node.js takes `::`, which is both families, and 0.0.0.0 where the system has no IPv6.
    server.listen({ port, ...(host !== '::' && { host }), backlog: BACKLOG }, resolve)
  })

  const { address, family, port: bound } = server.address() as AddressInfo
  const drain = (): void => {
    isDraining = true
    for (const [socket, responses] of owed) {
      if (responses.size === 0 && pipelining.has(socket)) socket.destroy()
      for (const res of responses) if (!res.headersSent) res.setHeader('Connection', 'close')
    }
  }
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    drain,
    async stop(grace) {
      drain()
      // The system resets connections that it has not handed over yet, with the requests in them. A turn takes one.
      for (let before = -1; before !== accepted;) {
        before = accepted
        for (let turns = 0; turns < 2; turns++)
          await new Promise((resolve) => setImmediate(resolve))
      }
      // Stops listening at once, so that a proxy takes another instance; not by `server.close`, which closes idle connections
      // first. They stay open while the proxy still uses them up, each for one request: it sends a POST only once.
      const closed = new Promise<void>((resolve) =>
        NetServer.prototype.close.call(server, () => resolve()),
      )
      let open = owed.size
      const closeIdle = (): void => {
        if (owed.size === open) server.closeIdleConnections()
        open = owed.size
      }
      // After the loop has read what came while it was late: a request that waits in the system's buffer would be cut.
      const idle = setInterval(() => setImmediate(closeIdle), LAST_ANSWERS_MS)
      const cut = setTimeout(() => server.closeAllConnections(), grace)
      await closed
      server.close()
      clearInterval(idle)
      clearTimeout(cut)
    },
  }
}

/** Reports whether every proxy reads a request in the same way: few headers, one Host (RFC 9112, section 3.2), a version that we speak. */
function isPlain({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i]!)) hosts++
  return rawHeaders.length <= 2 * LISTENER.headers && hosts <= 1 && /^1\.[01]$/.test(httpVersion)
}

/** Answers what is not HTTP, or came too slowly, in the one shape. A connection that never sent anything is closed without an answer. */
function refuse(socket: Socket): void {
  if (!socket.writable || socket.bytesRead === 0) socket.destroy()
  else end(socket, '400 Bad Request', 'bad-request')
}

/** Answers, and ends the connection: Node.js has let go of the socket. */
function end(socket: Duplex, status: string, code: FailureAnswer['error-codes'][0]): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.on('close', () => clearTimeout(cut))
  socket.on('error', () => socket.destroy())
  const body = JSON.stringify(failure([code]))
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
