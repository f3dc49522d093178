/** Ports for servers that need a configured one: nginx, Redis, an example's `PORT`. */
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Below what systems give to connections and to `listen(0)`: Linux from 32,768, macOS and Windows from 49,152 on. A node of a Redis
 * Cluster takes the port 10,000 above its own as well. And all are above 10,080, the last that browsers refuse to open.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const FIRST = 11_000
const COUNT = 10_000

/** One file for each port, for many processes run tests at once: who makes the file has the port, for an hour. */
const GIVEN = join(tmpdir(), `hv-ports-${process.getuid?.() ?? 'user'}`)
const AN_HOUR = 3_600_000

/** @returns {Promise<number>} a free port, which is not returned twice. */
export async function freePort() {
  mkdirSync(GIVEN, { recursive: true })
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (take(port) && (await isFree(port))) return port
  }
}

/** @param {number} port @returns {boolean} whether it was free. */
function take(port) {
  const file = join(GIVEN, String(port))
  const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (mtimeMs < Date.now() - AN_HOUR) rmSync(file, { force: true })
  try {
    closeSync(openSync(file, 'wx'))
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** @param {number} port Of any address: IPv4's and IPv6's. */
async function isFree(port) {
  const server = createServer().listen(port)
  const isOurs = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (isOurs) await once(server.close(), 'close')
  return isOurs
}
