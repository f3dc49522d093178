/** Ports for servers that are told theirs: nginx, Redis, an example's `PORT`. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below what systems give to connections and to `listen(0)`: Linux from 32,768, macOS and Windows from 49,152 on. A port
 * from there is soon another's. And above 10,080, the last that browsers refuse to open.
 *
 * @see https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html ip_local_port_range
 * @see https://www.rfc-editor.org/rfc/rfc6335#section-6 the dynamic ports from 49,152 on
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const FIRST = 11_000
const COUNT = 20_000

/** Their servers may not listen yet. */
const given = new Set()

/** @returns {Promise<number>} a port that nobody listens on now; never one from before. */
export async function freePort() {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

/** @param {number} port Of any address: IPv4's and IPv6's. */
async function isFree(port) {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
