import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { parseUrl } from '../../domain/parse-url.ts'
import { isWelcome } from '../api/body.ts'
import { readyFailure, type ReadyFailure } from '../api/failure.ts'
import { type Crowd, limitConnections } from './connections.ts'
import { overload, type RefusalHead } from './overload.ts'
import { unanswered } from './pending-responses.ts'

/** Time-outs in milliseconds; docs/design/threats.md#t17. */
const HEADERS_TIMEOUT = 5000
const REQUEST_TIMEOUT = 10_000
/** Longer than a load balancer keeps its idle connections, so that it is never us who close one that it is about to use. */
const KEEP_ALIVE_TIMEOUT = 65_000
const MOST_CONNECTIONS = 10_000
const MOST_OF_ONE_ADDRESS = 256
/**
 * Requests of one connection that may wait for their answers. Hardly any client asks before it is answered; but 64 kB, which
 * are read at once, hold 1,700 requests, and those of 800 such connections took all the memory.
 */
const MOST_PIPELINED = 16
/** Milliseconds that who was refused has to take the answer, and to close. */
const LINGER_MS = 1000
/** Milliseconds that idle connections stay open after we stopped listening. */
const LAST_ANSWERS_MS = 250
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

/** The classes of which `http.createServer` makes requests and responses. */
export interface MessageClasses {
  readonly IncomingMessage?: typeof IncomingMessage
  readonly ServerResponse?: typeof ServerResponse
}

export interface ListenOptions {
  readonly most?: number
  readonly perAddress?: number
  readonly trusts?: (peer: string) => boolean
  readonly crowded?: (crowd: Crowd) => void
  readonly messages?: MessageClasses
  readonly shed?: (requests: number) => void
  readonly refusalHead?: RefusalHead
}

/**
 * Listens on an address; port 0 picks a free one.
 *
 * @param options.most connections at a time; for one more, the one that was idle for longest is closed.
 * @param options.perAddress connections of one address at a time; one more is closed at once.
 * @param options.trusts peers that speak for many visitors, and are not counted by address; left out: the machine's own only.
 * @param options.crowded told of connections that were refused or closed for others.
 * @param options.shed told how many requests of the API were refused because more came than can be served.
 * @param options.refusalHead adds to the head of each of those.
 * @param options.messages what requests and responses are made of; left out: Node.js's own.
 * @throws when the address is taken.
 */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  options: ListenOptions = {},
): Promise<Listening> {
  const { most = MOST_CONNECTIONS, perAddress = MOST_OF_ONE_ADDRESS, trusts = () => false } = options
  const { messages = {}, shed = () => {}, refusalHead, crowded = () => {} } = options
  const responses = unanswered()
  const load = overload(app, shed, undefined, refusalHead)
  let draining = false
  const readable: RequestListener = (req, res) => {
    // Parsed from the same packet as a request whose connection is closed already.
    if (req.socket.destroyed) return
    connections.used(req.socket)
    if (responses.add(req, res) > MOST_PIPELINED) {
      cutOff(req.socket)
      return
    }
    if (draining) endAfter(res)
    const target = readTarget(req)
    if (target === undefined) {
      res.writeHead(400, BAD_REQUEST.head).end(BAD_REQUEST.body)
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
  const isBusy = (socket: Socket): boolean => responses.of(socket) > 0
  const connections = limitConnections(server, { most, perAddress, trusts, isBusy, crowded })
  server.on('clientError', refuseMalformed)
  // Node would close without a word, and would answer 417 without a body.
  server.on('connect', (_req, socket) => {
    end(socket, '405 Method Not Allowed\r\nAllow: GET, HEAD, POST', NO_METHOD)
    socket.resume()
  })
  server.on('checkExpectation', readable)
  // Told to go on only where the head does not say already that the body would be refused.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    // A client that does not send the body now must not have its next request taken for one.
    if (isWelcome(req)) res.writeContinue()
    else endAfter(res)
    readable(req, res)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, resolve)
  })
  const drain = (): void => {
    draining = true
    for (const res of responses.all()) endAfter(res)
  }
  return {
    url: urlOf(server),
    drain,
    async stop(grace) {
      drain()
      await stop(server, grace)
      load.end()
      responses.end()
      connections.end()
    },
  }
}

/** Ends a connection at once: what else has arrived by it, Node.js would make requests of first, 64 kB at a time. */
function cutOff(socket: Socket): void {
  // Not of the documented interface; test/whole/http/pipelining.test.ts fails where it is gone.
  ;(socket as Socket & { parser?: { pause?(): void } }).parser?.pause?.()
  socket.destroy()
}

/** The connection ends with this answer. */
function endAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

const BAD_REQUEST = readyFailure('bad-request')
const NO_METHOD = readyFailure('method-not-allowed')

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
  const target = own ? { pathname: url, search: '' } : parseUrl(url)
  if (!target) return undefined
  const { pathname, search } = target
  try {
    decodeURIComponent(pathname.split('?', 1)[0]!)
    return `${pathname}${search}`
  } catch {
    return undefined
  }
}

/** Answers bytes that are not HTTP, or came too slowly, in the one shape too, and ends the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else end(socket, '400 Bad Request', BAD_REQUEST)
}

/**
 * Answers, and ends the connection: of a socket that Node.js has let go of, nobody else does. A peer that keeps its own side
 * open would keep its place, and hold up the end of the process; and an error that nobody hears ends the process.
 */
function end(socket: Duplex, status: string, { head, body }: ReadyFailure): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.on('close', () => clearTimeout(cut))
  socket.on('error', () => socket.destroy())
  const headers = Object.entries({ ...head, Connection: 'close' })
  const lines = [`HTTP/1.1 ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Stops listening at once, so that a proxy takes another instance. Idle connections stay open a little longer, because it
 * may be about to use one, and sends a POST only once; the next answer on each ends it.
 */
async function stop(server: Server, grace: number): Promise<void> {
  // Not `server.close`, which closes idle connections first.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), LAST_ANSWERS_MS)
  const cut = setTimeout(() => server.closeAllConnections(), grace)
  await closed
  server.close()
  clearInterval(idle)
  clearTimeout(cut)
}
