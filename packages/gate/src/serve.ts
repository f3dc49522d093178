/** The gate as a process: a listener for proxies, one for its operators, and a look at its files every second. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, json, NOT_FOUND } from './answers.ts'
import { DIALECTS, dialectAt, PASSED_ON } from './dialects.ts'
import type { Get } from './key-directories.ts'
import { endUnreadable, listen, send } from './listener.ts'
import { createMeters, type Meters } from './meters.ts'
import { answerOperator } from './operators.ts'
import { isInRanges, MissingHeader, readVisit } from './visit.ts'
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
/** At the end: how long idle connections stay open, since a proxy may be about to use one. */
const DRAIN_MS = 250
/** At the end: how long requests may take. */
const GRACE_MS = 5000

/** Returns the name of what is asked for below our prefix; undefined where it is a path of the site. */
export const assetOf = (target: string): string | undefined =>
  /^\/\.hv\/([a-z.]+)(?:\?.*)?$/s.exec(target)?.[1]

/** @param file of the configuration. @param get fetches what agents publish. @throws {SettingsError} */
export async function serve(file: string, write: (line: string) => unknown, get?: Get) {
  const meters = createMeters()
  const watched = new WatchedSettings(file, meters, write, get)
  const answer = proxyAnswers(watched, meters)
  let isDraining = false

  const server = createServer(LISTENER, (req, res) => {
    if (isDraining) res.setHeader('connection', 'close')
    void answer(req).then((given) => send(res, given))
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
    void answerOperator(req, names, meters).then((given) => send(res, given))
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
    setTimeout(() => [server, ops].forEach((each) => each.closeAllConnections()), GRACE_MS).unref()
    await Promise.all([server, ops].map((each) => once(each.close(), 'close')))
    watched.inForce.log.info('stopped')
  }
  return { url, opsUrl, reload: () => watched.reload(), stop }
}

/** Answers proxies: checks, and what they pass on of `/.hv/`. */
function proxyAnswers(watched: WatchedSettings, meters: Meters) {
  /** The mode of a socket's file says who may ask. The address of a peer does not: one that has gone has none. */
  const isOnSocket = 'path' in watched.inForce.settings.listen

  async function answer(req: IncomingMessage): Promise<Answer> {
    const { settings, log } = watched.inForce
    const { method = 'GET', url = '', headers } = req
    if (!isOnSocket && !isInRanges(req.socket.remoteAddress, settings.trusted_proxies)) {
      log.seldom('a peer that is no trusted proxy')
      return json(403, { error: 'forbidden' }, { connection: 'close' })
    }
    const asset = assetOf(url)
    if (asset !== undefined) return answerOwn(req, asset)
    const check = dialectAt(url)
    if (!check) return NOT_FOUND
    const asked = { method, target: check.target, headers }
    return answerCheck(check.dialect, asked)
  }

  async function answerCheck(
    dialect: NonNullable<ReturnType<typeof dialectAt>>['dialect'],
    asked: Parameters<typeof readVisit>[1],
  ): Promise<Answer> {
    const { keeper, settings } = watched.inForce
    const begun = performance.now()
    const decision = await keeper.check(readVisit(dialect, asked, settings.trusted_proxies))
    meters.checkSeconds.observe((performance.now() - begun) / 1000)
    // Always there, so that a proxy overwrites what the visitor may have sent.
    if ('clearance' in decision) {
      const { clearance, guest } = decision
      return {
        status: dialect.letsIn,
        headers: { 'x-hv-clearance': clearance, 'x-hv-guest': guest },
        body: '',
      }
    }
    return dialect.showsAnswer
      ? decision.answer()
      : { status: decision.status, headers: {}, body: '' }
  }

  function answerOwn(req: IncomingMessage, asset: string): Promise<Answer> {
    const { keeper, settings } = watched.inForce
    const { method = 'GET', url: target = '', headers } = req
    const isPage = asset === 'blocked'
    // Visitors may open the page of nginx themselves: then nginx says nothing of an earlier request.
    const told = isPage
      ? { [DIALECTS.nginx.method]: 'GET', [DIALECTS.nginx.target]: '/', ...headers }
      : headers
    const dialect = isPage ? DIALECTS.nginx : PASSED_ON
    const visit = readVisit(dialect, { method, target, headers: told }, settings.trusted_proxies)
    return keeper.own(visit, asset, () => text(req))
  }

  /** Answers every request: an error lets nobody in. */
  return async (req: IncomingMessage): Promise<Answer> => {
    try {
      return await answer(req)
    } catch (error) {
      const detail = error instanceof MissingHeader ? error.message : 'internal error'
      watched.inForce.log.seldom(detail, { detail: String(error) })
      return json(500, { error: detail })
    }
  }
}
