import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { refusal } from './head.ts'
import { LISTENER } from './listener-limits.ts'
import type { App } from './messages.ts'
import { OpenConnections } from './open-connections.ts'
import { isPlain, refuse, refuseBytes } from './refuse.ts'

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
  address: { host: string; port: number },
  { keepAlive = LISTENER.keepAlive, oversized = () => {}, ...limits }: ListenOptions = {},
): Promise<Listening> {
  const connections = new OpenConnections()
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    if (!connections.begin(req, res)) return
    if (isPlain(req)) app(req, res, () => refuse(req.socket))
    else refuse(req.socket)
  }
  const server = serverOf(take, keepAlive)
  server.on('connection', (socket) => connections.add(socket))
  limitConnections(server, { ...LISTENER.limits, ...limits }, connections)
  refuseBytes(server, connections, oversized)
  await bind(server, address)
  return {
    url: urlOf(server.address() as AddressInfo),
    drain: () => connections.drain(),
    stop: (grace) => stop(server, connections, grace),
  }
}

/** Creates the server. Every request goes to `take`, those included that Node.js would answer itself, with 417 or 100. */
function serverOf(
  take: (req: IncomingMessage, res: ServerResponse) => void,
  keepAliveTimeout: number,
): Server {
  const server = createServer(
    {
      headersTimeout: LISTENER.headersTimeout,
      requestTimeout: LISTENER.requestTimeout,
      keepAliveTimeout,
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
  server.on('checkExpectation', take)
  // Answers 100 Continue unless the head already shows that the request will be refused.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    if (!refusal(req)) res.writeContinue()
    // The client may leave the body out; on an open connection its next request would be read as the body.
    else res.setHeader('Connection', 'close')
    take(req, res)
  })
  return server
}

/** @throws when the address is taken. */
const bind = (server: Server, { host, port }: { host: string; port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // Without a host Node.js takes `::`, which is both families, and 0.0.0.0 where the system has no IPv6.
    server.listen({ port, ...(host !== '::' && { host }), backlog: BACKLOG }, resolve)
  })

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

async function stop(server: Server, connections: OpenConnections, grace: number): Promise<void> {
  connections.drain()
  await handedOver(connections)
  // Stops listening at once, so that a proxy takes another instance. `http.Server` closes idle connections first, so the method
  // of the class that it extends is called: they stay open while the proxy still uses them up, each for one request, since a
  // proxy sends a POST only once.
  const closed = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  )
  const { owed } = connections
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
}

/** Waits until the system has handed over its connections: it resets others, with the requests in them. A turn takes one. */
async function handedOver(connections: OpenConnections): Promise<void> {
  for (let before = -1; before !== connections.accepted;) {
    before = connections.accepted
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
}
