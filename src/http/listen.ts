import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { MessageClasses } from './message-classes.ts'
import { overload, type RefusalHead } from './overload.ts'
import { unanswered } from './unanswered.ts'

/** Time-outs in milliseconds; THREATS.md, T17. */
const HEADERS_TIMEOUT = 5000
const REQUEST_TIMEOUT = 10_000
/** Longer than a load balancer keeps its idle connections, so that it is never us who close one that it is about to use. */
const KEEP_ALIVE_TIMEOUT = 65_000
const MOST_CONNECTIONS = 10_000
/**
 * Requests of one connection that may wait for their answers. Hardly any client asks before it is answered; but 64 kB, which
 * are read at once, hold 1,700 requests, and those of 800 such connections took all the memory.
 */
const MOST_PIPELINED = 16
/** Milliseconds that who was refused has to take the answer, and to close. */
const LINGER_MS = 1000
/** Connections that wait to be taken in a burst; with the default of 511 the system drops those above, and they wait for seconds. */
const BACKLOG = 4096

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /** Still answers everything, and ends each connection after its answer, so that nobody keeps one that will be cut. */
  drain(): void
  /** Stops accepting, finishes what is in flight, and cuts what is left after `grace` milliseconds. */
  stop(grace: number): Promise<void>
}

export interface ListenOptions {
  readonly most?: number
  readonly messages?: MessageClasses
  readonly shed?: (requests: number) => void
  readonly refusalHead?: RefusalHead
}

/**
 * Listens on an address; port 0 picks a free one.
 *
 * @param options.most connections at a time; one more is closed at once, and those that are there are served as ever.
 * @param options.shed told how many requests of the API were refused because more came than can be served.
 * @param options.refusalHead adds to the head of each of those.
 * @param options.messages what requests and responses are made of; left out: Node.js's own.
 * @throws when the address is taken.
 */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  { most = MOST_CONNECTIONS, messages = {}, shed = () => {}, refusalHead }: ListenOptions = {},
): Promise<Listening> {
  const owed = unanswered()
  const load = overload(app, shed, undefined, refusalHead)
  let draining = false
  const readable: RequestListener = (req, res) => {
    // Come with what was cut.
    if (req.socket.destroyed) return
    if (owed.add(req, res) > MOST_PIPELINED) {
      cutOff(req.socket)
      return
    }
    if (draining) endAfter(res)
    const target = readTarget(req)
    if (target === undefined) {
      res.writeHead(400, { ...HEADERS, 'Content-Length': BAD_REQUEST.length }).end(BAD_REQUEST)
      return
    }
    req.url = target
    // Health and the widget's files are never refused.
    if (target.startsWith('/api/')) load.take(req, res)
    else app(req, res)
  }
  const server = createServer(
    {
      ...messages,
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: 1000,
      // Nothing here depends on the Host header; without this the refusal would not be in our shape.
      requireHostHeader: false,
    },
    readable,
  )
  server.maxConnections = most
  server.on('clientError', refuseMalformed)
  // Node would close without a word, and would answer 417 without a body.
  server.on('connect', (_req, socket) => {
    end(socket, '405 Method Not Allowed\r\nAllow: GET, HEAD, POST', NO_METHOD)
    socket.resume()
  })
  server.on('checkExpectation', readable)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, resolve)
  })
  const drain = (): void => {
    draining = true
    for (const res of owed.all()) endAfter(res)
  }
  return {
    url: urlOf(server),
    drain,
    async stop(grace) {
      drain()
      await stop(server, grace)
      load.end()
      owed.end()
    },
  }
}

/** Ends a connection at once: what else has arrived by it, Node.js would make requests of first, 64 kB at a time. */
function cutOff(socket: Socket): void {
  // Not of the documented interface; test/http/pipelining.test.ts fails where it is gone.
  ;(socket as Socket & { parser?: { pause?(): void } }).parser?.pause?.()
  socket.destroy()
}

/** The connection ends with this answer. */
function endAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

const BAD_REQUEST = '{"success":false,"error-codes":["bad-request"]}'
const NO_METHOD = '{"success":false,"error-codes":["method-not-allowed"]}'
const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }

/**
 * The path and query asked for. Express answers what it cannot parse with a page of its own, and what it cannot decode
 * with an error that quotes it; neither gets so far.
 *
 * @returns undefined when it cannot be read.
 */
function readTarget({ url = '/' }: IncomingMessage): string | undefined {
  // Nearly all that come; what follows is for the few that do not.
  if (url.startsWith('/') && !url.includes('%')) return url
  const own = url.startsWith('/') || url === '*'
  if (!own && !URL.canParse(url)) return undefined
  const { pathname, search } = own ? { pathname: url, search: '' } : new URL(url)
  try {
    decodeURIComponent(pathname.split('?', 1)[0]!)
    return `${pathname}${search}`
  } catch {
    return undefined
  }
}

/** What is not HTTP, or came too slowly, gets the one shape too, and then the connection ends. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else end(socket, '400 Bad Request', BAD_REQUEST)
}

/**
 * Answers, and ends the connection: of a socket that Node.js has let go of, nobody else does. Whoever keeps its own side
 * open would keep its place, and hold up the end of the process; and an error that nobody hears ends the process.
 */
function end(socket: Duplex, status: string, body: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.on('close', () => clearTimeout(cut))
  socket.on('error', () => socket.destroy())
  const headers = Object.entries({ ...HEADERS, 'Content-Length': body.length, Connection: 'close' })
  const lines = [`HTTP/1.1 ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

async function stop(server: Server, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), grace)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
