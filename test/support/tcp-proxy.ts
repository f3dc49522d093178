import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLater } from './close-later.ts'

/** Starts a proxy to a server, which can break on demand and ends with the test. */
export async function startTcpProxy(target: number) {
  const sockets = new Set<Socket>()
  let wanted = { text: '', armed: false, seen: 0 }
  let delayMs = 0
  let leadsTo = target

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: leadsTo })
    let cutting = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (chunk: Buffer) => {
      if (wanted.text !== '' && chunk.includes(wanted.text)) {
        wanted.seen++
        cutting ||= wanted.armed
        wanted.armed = false
      }
      upstream.write(chunk)
    })
    // Late, but never in another order: what comes when the wire is fast again waits for what is on its way.
    let arrived = Promise.resolve()
    upstream.on('data', (chunk: Buffer) => {
      if (cutting) {
        client.destroy()
        return
      }
      const late = delayMs > 0 ? sleep(delayMs) : undefined
      const before = arrived
      arrived = (async () => {
        await late
        await before
        if (client.writable) client.write(chunk)
      })()
    })
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = {
    port: (server.address() as AddressInfo).port,
    /** The next request with this text reaches the server; its reply does not, and the connection breaks. */
    cutReplyTo(text: string): void {
      wanted = { text, armed: true, seen: 0 }
    },
    /** Begins to count the requests with this text. */
    watch(text: string): void {
      wanted = { text, armed: false, seen: 0 }
    },
    /** How many requests held the text last given to `watch` or `cutReplyTo`. */
    requests: () => wanted.seen,
    /** Holds every reply back for so many milliseconds. */
    delay(ms: number): void {
      delayMs = ms
    },
    /** Leads new connections to the server at this port; those that are open stay where they are. */
    lead(port: number): void {
      leadsTo = port
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
  return closeLater(proxy, (it) => server.listening && it.close())
}
