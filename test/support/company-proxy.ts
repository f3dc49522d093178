import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { closeLater } from './close-later.ts'

/** Asks this address in the place of who asked us. @param change of the answer's headers. */
export function passOn(
  url: string,
  req: IncomingMessage,
  res: ServerResponse,
  change: (headers: IncomingHttpHeaders) => void = () => {},
): void {
  const { method, headers } = req
  const passedOn = request(url, { method, headers }, (answer) => {
    change(answer.headers)
    res.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(res)
  })
  req.pipe(passedOn).on('error', () => res.destroy())
}

/** A proxy that leads every name to the service, as only it can. @returns the environment that points to it. */
export async function companyProxy(service: string) {
  const sockets = new Set<Socket>()
  // Plain HTTP is asked for without a tunnel, by curl for one.
  const proxy = createServer((req, res) => passOn(service + new URL(req.url!).pathname, req, res))
  proxy.on('connect', (_req, socket: Socket) => {
    const there = connect(Number(new URL(service).port), '127.0.0.1', () =>
      socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    )
    for (const each of [socket, there])
      each.on('error', () => {}).once('close', () => sockets.delete(each))
    sockets.add(socket).add(there)
    socket.pipe(there).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  closeLater(proxy, () => {
    for (const socket of sockets) socket.destroy()
    proxy.closeAllConnections()
    proxy.close()
  })
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return { http_proxy: address, https_proxy: address }
}
