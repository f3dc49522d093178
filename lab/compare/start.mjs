import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../stand/folder.mjs'
import { ROOT } from '../stand/machine.mjs'
import { start, until } from '../stand/processes.mjs'

/** Milliseconds for an answer of a peer; a busy machine takes its time. */
const PATIENCE = 20_000

/**
 * What a peer is set up with, and what outlives its processes: its secret, its folder, and the service's keyring. `isEasy`: with the least
 * work, and every visit accepted whose work is right; `isDriven`: the latter alone.
 */
export function setUpOf(store, { redisUrl, isEasy = false, isDriven = false } = {}) {
  const own = folder('hv-compare')
  return {
    isEasy,
    isDriven,
    folder: own.path,
    secret: randomBytes(32).toString('hex'),
    ...(store === 'Redis' && { redisUrl }),
  }
}

/** Asks a peer as a program does. @throws {Error} with its answer where it refuses */
export const askOf =
  ({ url }) =>
  async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      signal: AbortSignal.timeout(PATIENCE),
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return answer.json()
  }

/** Addresses of visitors, each in a network of its own. */
const anyAddress = () => `${randomInt(11, 126)}.${randomInt(256)}.${randomInt(256)}.9`

/** Runs an adapter's server in a process of its own. */
async function startServer(file, setUp) {
  const { keys: _keys, ...settings } = setUp
  const env = { ...process.env, COMPARE: JSON.stringify(settings) }
  const server = start(process.execPath, [join(import.meta.dirname, 'server.mjs'), file], { env })
  const listening = () => /"listening":(\d+)/.exec(server.said())?.[1]
  const port = await until(listening, `${file}: ${server.said()}`, 60_000)
  const url = `http://127.0.0.1:${port}`
  const ask = askOf({ url })
  return {
    url,
    cpu: server.cpu,
    stop: server.stop,
    accepts: async (fields) => (await ask('POST', '/accepts', fields)).accepted,
  }
}

/** Starts a process of a peer. The next with the same set-up has the same secret and the same store. */
export async function startPeer(peer, setUp) {
  const server = await (peer.start ? peer.start(setUp) : startServer(peer.file, setUp))
  return {
    ...server,
    ask: askOf(server),
    address: anyAddress,
    /** Whether the fields of a form are accepted. @throws {Error} where no answer comes: that is no refusal */
    accepts: server.accepts,
    /** The same while a store may be away: who gets no answer is not let in. */
    letsIn: (fields) => server.accepts(fields).catch(() => false),
  }
}

/** Fields of a form, by a program that does the work. */
export const fieldsBy = async (peer, server) => peer.handIn(server, await peer.work(server))

/** What a peer's packages say of themselves. */
export const versionsOf = ({ packages }) => {
  const files =
    packages.length > 0
      ? packages.map((name) => join(ROOT, 'lab/node_modules', name, 'package.json'))
      : [join(ROOT, 'package.json')]
  return files.map((file) => {
    const { name, version, license } = JSON.parse(readFileSync(file, 'utf8'))
    return { name, version, license }
  })
}
