/**
 * What `stop` of src/http/listen.ts relies on in Node.js 20.19 to 24: `http.Server` extends `net.Server`, whose `close` leaves
 * idle connections open, and has a `close` of its own that ends them. Without the first, a request is lost at each restart that
 * a proxy sends on a connection it keeps; without the second, `stop` may call `server.close()`.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const dial = (server: Server): Socket =>
  closeLater(connect((server.address() as AddressInfo).port, '127.0.0.1'), (it) => it.destroy())

/** A server, and a connection that it has answered and keeps. */
async function idle(): Promise<{ server: Server; socket: Socket }> {
  const server = createServer((_req, res) => void res.end('one'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = dial(server)
  socket.write(GET)
  await once(socket, 'data')
  return { server, socket }
}

test('the close of net.Server stops listening, and leaves idle connections open', async () => {
  const { server, socket } = await idle()
  const { port } = server.address() as AddressInfo
  const closed = once(server, 'close')
  NetServer.prototype.close.call(server)
  expect(server.listening).toBe(false)
  const refused = connect(port, '127.0.0.1')
  expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  socket.write(GET)
  expect(String(await once(socket, 'data'))).toContain('200 OK')
  server.closeIdleConnections()
  await closed
})

test('the close of http.Server ends idle connections', async () => {
  const { server, socket } = await idle()
  const ended = once(socket, 'close')
  server.close()
  expect(await ended).toEqual([false])
})
