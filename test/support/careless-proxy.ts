import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { open } from './raw.ts'

/** What must be harmed, so that a test that finds no harm elsewhere is known to see. */
export interface CarelessProxy {
  readonly url: string
  stop(): Promise<void>
}

/**
 * A proxy that goes by Content-Length, on one connection shared by all, to a back end that goes by Transfer-Encoding:
 * the pair that request smuggling was made for (docs/design/threats.md#t31). What the back end takes for a request reaches the
 * service well framed; its answers go to the clients in the order in which the proxy let their requests through.
 *
 * @param url of the service.
 */
export async function startCarelessProxy(url: string): Promise<CarelessProxy> {
  const clients = new Set<Socket>()
  const waiting: Socket[] = []
  let shared = Buffer.alloc(0)
  let turn = Promise.resolve()

  /** The back end: whatever is complete in its eyes is asked, one after the other. */
  function pump(): void {
    for (let end = endOf(shared, 'encoding'); end !== undefined; end = endOf(shared, 'encoding')) {
      const asked = clean(shared.subarray(0, end))
      shared = shared.subarray(end)
      turn = turn.then(async () => void waiting.shift()?.end(await answerTo(url, asked)))
    }
  }

  const server = createServer((client) => {
    clients.add(client)
    let said = Buffer.alloc(0)
    client.on('error', () => client.destroy())
    client.on('close', () => clients.delete(client))
    client.on('data', (data: Buffer) => {
      said = Buffer.concat([said, data])
      const end = endOf(said, 'length')
      if (end === undefined) return
      waiting.push(client)
      shared = Buffer.concat([shared, said.subarray(0, end)])
      said = said.subarray(end)
      pump()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      for (const client of clients) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Where the first request ends, for who believes only this header; undefined: not yet. */
function endOf(bytes: Buffer, believed: 'length' | 'encoding'): number | undefined {
  const text = bytes.toString('latin1')
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const isChunked = believed === 'encoding' && /^transfer-encoding: chunked\r?$/im.test(text.slice(0, head))
  if (isChunked) {
    const last = text.indexOf('0\r\n\r\n', head + 4)
    return last < 0 ? undefined : last + 5
  }
  const length = Number(/^content-length: (\d+)\r?$/im.exec(text.slice(0, head))?.[1] ?? 0)
  return bytes.length < head + 4 + length ? undefined : head + 4 + length
}

/** One framing only, and the connection closed afterwards. */
function clean(request: Buffer): Buffer {
  const text = request.toString('latin1')
  const isChunked = /^transfer-encoding: chunked\r?$/im.test(text)
  const dropped = isChunked ? /^(content-length|connection): .*\r\n/gim : /^connection: .*\r\n/gim
  return Buffer.from(text.replace(dropped, '').replace('\r\n', '\r\nConnection: close\r\n'), 'latin1')
}

async function answerTo(url: string, request: Buffer): Promise<Buffer> {
  const socket = open(url)
  socket.write(request)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
