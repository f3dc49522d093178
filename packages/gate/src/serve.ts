/** The gate as a process: a listener for proxies, one for its operators, and a look at its files every second. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises'
import type { Get } from './key-directories.ts'
import { endUnreadable, listen, send } from './listener.ts'
import { createMeters } from './meters.ts'
import { answerOperator } from './operators.ts'
import { ProxyAnswers } from './proxy-answers.ts'
import { WatchedSettings } from './watched-settings.ts'

/** Bytes of the headers of a request. Cookies of a large site have more than the 16 KiB that Node.js takes; nginx takes 32 KiB. */
const MOST_HEADERS = 65_536
/** Only proxies close idle connections: no request meets one that is closing, and no check sets a timer. Checks have no body. */
const LISTENER = {
  keepAliveTimeout: 0,
  keepAlive: true,
  requestTimeout: 10_000,
  maxHeaderSize: MOST_HEADERS,
  optimizeEmptyRequests: true,
}
/** How long idle connections stay open at the end, since a proxy may be about to use one. */
const DRAIN_MS = 250
/** How long requests may take at the end. */
const GRACE_MS = 5000

/** @param file of the configuration. @param get fetches what agents publish. @throws {SettingsError} */
export async function serve(file: string, write: (line: string) => unknown, get?: Get) {
  const meters = createMeters()
  const watched = new WatchedSettings(file, meters, write, get)
  const answers = new ProxyAnswers(watched, meters)
  let isDraining = false

  const server = createServer(LISTENER, (req, res) => {
    if (isDraining) res.setHeader('connection', 'close')
    void answers.answer(req).then((answer) => send(res, answer))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'HPE_HEADER_OVERFLOW')
      watched.inForce.log.seldom(
        `more than ${MOST_HEADERS} bytes of headers: the visitor gets an error`,
      )
    endUnreadable(error, socket)
  })
  const ops = createServer((req, res) => {
    const { ops_hosts: names } = watched.inForce.settings
    void answerOperator(req, names, meters).then((answer) => send(res, answer))
  })
  const { settings, log } = watched.inForce
  const url = await listen(server, settings.listen)
  const opsUrl = await listen(ops, settings.ops_listen)
  log.info('listening', { url, ops_url: opsUrl })

  /** Answers what comes, ends each connection after its answer, and then listens no longer. */
  async function stop(): Promise<void> {
    watched.end()
    isDraining = true
    await sleep(DRAIN_MS)
    // A process that is late has not read what came meanwhile, and closing its connection would cut that check.
    await afterReading()
    setTimeout(() => [server, ops].forEach((each) => each.closeAllConnections()), GRACE_MS).unref()
    await Promise.all([server, ops].map((each) => once(each.close(), 'close')))
    watched.inForce.log.info('stopped')
  }
  return { url, opsUrl, reload: () => watched.reload(), stop }
}
