/** Listeners of HTTP over TCP or a socket, and how an answer is sent. */
import { once } from 'node:events'
import { statSync, unlinkSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Answer } from './answers.ts'
import type { Settings } from './settings.ts'

/** Opens a listener. @returns its address, as it is logged. */
export async function listen(server: Server, where: Settings['listen']): Promise<string> {
  if ('path' in where) await removeDeadSocket(where.path)
  await once(server.listen(where), 'listening')
  if ('path' in where) return `unix:${where.path}`
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Removes the socket of a gate that crashed. One that answers stays, and `listen` fails. */
async function removeDeadSocket(path: string): Promise<void> {
  const peer = connect(path)
  const code = await once(peer, 'connect').then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )
  peer.destroy()
  if (code === 'ECONNREFUSED' && statSync(path).isSocket()) unlinkSync(path)
}

export function send(res: ServerResponse, { status, headers, body }: Answer): void {
  // Only a proxy reads the answer to a check that lets in.
  res.sendDate = !('x-hv-clearance' in headers)
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
  res.writeHead(status, { ...headers, ...length }).end(body)
}

/** Answers what cannot be read as a request, and closes its connection. */
export function endUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status =
    code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
