import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import { listen, pause } from './processes.mjs'

/**
 * Starts a link to a server in another region. A byte arrives half a round trip after it was sent, in order, and a new connection
 * takes a whole one before its first byte. While the link is cut nothing passes and nothing is refused, as where packets are lost;
 * what was on its way arrives once it is mended.
 *
 * @param {number} port of the server
 * @param {number} roundTripMs
 */
export async function startLink(port, roundTripMs) {
  const sockets = new Set()
  /** How an outage ends, and what resolves then; undefined: the link is whole. */
  const now = { outage: undefined }
  const passable = async () => {
    while (now.outage !== undefined) await now.outage.over
  }

  /** Carries what comes from one socket to the other. @param {Promise<void>} opened when the connection is there */
  function carry(from, to, opened) {
    let before = opened
    const inTurn = (act) => {
      const waits = Promise.all([before, pause(roundTripMs / 2)])
      before = waits.then(passable).then(act)
    }
    from.on('data', (chunk) => inTurn(() => void (to.writable && to.write(chunk))))
    from.on('close', () => inTurn(() => void to.destroy()))
  }

  async function reach(upstream) {
    await pause(roundTripMs)
    await passable()
    if (upstream.destroyed) return
    upstream.connect(port, '127.0.0.1')
    // A refused connection also closes, which is carried back.
    await Promise.race([once(upstream, 'connect'), once(upstream, 'close')]).catch(() => {})
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = new Socket().setNoDelay(true)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    const opened = reach(upstream)
    carry(client, upstream, opened)
    carry(upstream, client, opened)
  })
  return {
    port: await listen(server),
    cut() {
      let end
      const over = new Promise((resolve) => {
        end = resolve
      })
      now.outage = { over, end }
    },
    mend() {
      const past = now.outage
      now.outage = undefined
      past?.end()
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
