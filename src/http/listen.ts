import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Time-outs in milliseconds; THREATS.md, T17. */
const HEADERS_TIMEOUT = 5000
const REQUEST_TIMEOUT = 10_000
/** Longer than a load balancer keeps its idle connections, so that it is never us who close one that it is about to use. */
const KEEP_ALIVE_TIMEOUT = 65_000
const MOST_CONNECTIONS = 10_000

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  /** Stops accepting, finishes what is in flight, and cuts what is left after `grace` milliseconds. */
  stop(grace: number): Promise<void>
}

/** Listens on an address; port 0 picks a free one. @throws when the address is taken. */
export async function listen(app: RequestListener, { host, port }: { host: string; port: number }): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: 1000,
      // Nothing here depends on the Host header; without this the refusal would not be in our shape.
      requireHostHeader: false,
    },
    app,
  )
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', refuseMalformed)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return { url: urlOf(server), stop: (grace) => stop(server, grace) }
}

/** What is not HTTP, or came too slowly, gets the one shape too, and then the connection ends. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = '{"success":false,"error-codes":["bad-request"]}'
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
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
