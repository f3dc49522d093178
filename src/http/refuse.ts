import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FailureAnswer } from '../wire.ts'
import { eachSecond } from './connections.ts'
import { LINGER_MS, LISTENER } from './listener-limits.ts'
import { failure } from './messages.ts'
import type { OpenConnections } from './open-connections.ts'

/** Reports whether every proxy reads a request in the same way: few headers, one Host (RFC 9112, section 3.2), a version that we speak. */
export function isPlain({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (/^host$/i.test(rawHeaders[i]!)) hosts++
  return rawHeaders.length <= 2 * LISTENER.headers && hosts <= 1 && /^1\.[01]$/.test(httpVersion)
}

/** Answers what is not HTTP, or came too slowly, in the one shape. A connection that never sent anything is closed without an answer. */
export function refuse(socket: Socket): void {
  if (!socket.writable || socket.bytesRead === 0) socket.destroy()
  else end(socket, '400 Bad Request', 'bad-request')
}

/**
 * Refuses on a server what Node.js hands over as bytes, and not as a request.
 *
 * @param oversized is told once a second how many requests had too many bytes of headers, if any.
 */
export function refuseBytes(
  server: Server,
  { owed }: OpenConnections,
  oversized: (requests: number) => void,
): void {
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
      const isWhole = owed.get(socket)?.req.complete === true
      if (!isWhole && socket.bytesWritten === bytesWritten) refuse(socket)
    })
  })
  // Node.js would close without a word.
  server.on('connect', (_req, socket) => {
    end(socket, '405 Method Not Allowed\r\nAllow: GET, HEAD, POST', 'method-not-allowed')
    socket.resume()
  })
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
