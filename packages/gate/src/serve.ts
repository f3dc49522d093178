/** The gate as a process: a listener for proxies, one for its operators, and a look at its files every second. */
import { once } from 'node:events'
import { statSync, unlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Answer, gatekeeper, json, NOT_FOUND } from './gatekeeper.ts'
import { createLog } from './log.ts'
import { createMeters } from './meters.ts'
import { type Configuration, readSettings } from './read-settings.ts'
import { hostOf, isInRanges, MissingHeader, readVisit } from './visit.ts'

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
/** At the end: how long idle connections stay open, since a proxy may be about to use one, and how long requests may take. */
const [DRAIN_MS, GRACE_MS] = [250, 5000]

const CHECK = /^\/check\/((?:nginx|forward)(?=\?|$)|envoy(?=\/))(.*)$/s
const DIALECTS = { nginx: 'original', forward: 'forwarded', envoy: 'kept' } as const
/** The name of what is asked for below our prefix; undefined: it is a path of the site. */
export const assetOf = (target: string): string | undefined =>
  /^\/\.hv\/([a-z.]+)(?:\?.*)?$/s.exec(target)?.[1]

/** @param file of the configuration. @throws {SettingsError} */
export async function serve(file: string, write: (line: string) => unknown) {
  const meters = createMeters()
  /** What was read, or is missing, as it was just before: a change while it was read must not be missed. */
  const stamps = new Map<string, string>()
  function load() {
    const settings = readSettings(file, (path) => stamps.set(path, stampOf(path)))
    const log = createLog(settings.log_level, write)
    return {
      settings,
      log,
      keeper: gatekeeper(settings, meters, log),
      trusted: new WeakSet<Socket>(),
    }
  }
  let current = load()
  let isDraining = false
  /** The mode of the file says who may ask. Not by the address of a peer: of one that has gone there is none. */
  const isOnSocket = 'path' in current.settings.listen

  const startedWith = current.settings

  /** Takes a changed configuration, whole or not at all. Counts of clearances begin again. */
  function reload(): void {
    try {
      current = load()
      const kept = (['listen', 'ops_listen'] as const).filter(
        (name) => !isDeepStrictEqual(current.settings[name], startedWith[name]),
      )
      if (kept.length === 0) current.log.info('configuration reloaded')
      else
        current.log.warn('configuration reloaded, but not all of it', {
          detail: `${kept.join(' and ')}: needs a restart`,
        })
    } catch (error) {
      current.log.error('configuration not reloaded; the old one stays in force', {
        detail: String(error),
      })
    }
  }

  const watch = setInterval(() => {
    if ([...stamps].some(([path, stamp]) => stamp !== stampOf(path))) reload()
  }, 1000).unref()

  /** @param give is called before a check returns: promises took a tenth of its time. */
  function answer(req: IncomingMessage, give: (answer: Answer) => void): void {
    const { keeper, settings, log, trusted } = current
    const { headers, method = 'GET', url = '', socket } = req
    const isKnown = isOnSocket || trusted.has(socket)
    if (!isKnown && !isInRanges(socket.remoteAddress, settings.trusted_proxies)) {
      log.seldom('a peer that is no trusted proxy')
      return give(json(403, { error: 'forbidden' }, { connection: 'close' }))
    }
    trusted.add(socket)
    const asset = assetOf(url)
    if (asset !== undefined) {
      // The visit that nginx blocked; who comes by hand was not.
      const asked = {
        method,
        target: url,
        headers: { 'x-original-method': 'GET', 'x-original-uri': '/', ...headers },
      }
      const visit = readVisit(
        asset === 'blocked' ? 'original' : 'kept',
        asked,
        settings.trusted_proxies,
      )
      return void keeper
        .own(visit, asset, () => text(req))
        .then(give, (error) => give(failed(error)))
    }
    const [, proxy, target = ''] = CHECK.exec(url) ?? []
    if (proxy === undefined) return give(NOT_FOUND)
    const dialect = DIALECTS[proxy as keyof typeof DIALECTS]
    const begun = performance.now()
    const decision = keeper.check(
      readVisit(dialect, { method, target, headers }, settings.trusted_proxies),
    )
    meters.checkSeconds.observe((performance.now() - begun) / 1000)
    // Always there, so that a proxy overwrites what the visitor may have sent.
    if ('clearance' in decision)
      give({ status: 204, headers: { 'x-hv-clearance': decision.clearance }, body: '' })
    // nginx shows the page by `error_page 401`, and makes an error of its own of all but 401 and 403.
    else
      give(
        proxy === 'nginx' ? { status: decision.status, headers: {}, body: '' } : decision.answer(),
      )
  }

  function failed(error: unknown): Answer {
    const detail = error instanceof MissingHeader ? error.message : 'internal error'
    current.log.seldom(detail, { detail: String(error) })
    return json(500, { error: detail })
  }

  const server = createServer(LISTENER, (req, res) => {
    if (isDraining) res.setHeader('connection', 'close')
    const give = (given: Answer): void => send(res, given)
    try {
      answer(req, give)
    } catch (error) {
      give(failed(error))
    }
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'HPE_HEADER_OVERFLOW')
      current.log.seldom(`more than ${MOST_HEADERS} bytes of headers: the visitor gets an error`)
    endWithError(error, socket)
  })
  const ops = createServer((req, res) => {
    const headers = { 'content-type': meters.registry.contentType }
    if (!isOperator(req, current.settings.ops_hosts)) send(res, NOT_FOUND)
    else if (req.url === '/metrics')
      void meters.registry.metrics().then((body) => send(res, { status: 200, headers, body }))
    else send(res, req.url === '/ready' ? json(200, { ready: true }) : NOT_FOUND)
  })
  const url = await listen(server, current.settings.listen)
  const opsUrl = await listen(ops, current.settings.ops_listen)
  current.log.info('listening', { url, ops_url: opsUrl })

  /** Answers what comes, ends each connection after its answer, and then listens no longer. */
  async function stop(): Promise<void> {
    clearInterval(watch)
    isDraining = true
    await sleep(DRAIN_MS)
    setTimeout(() => [server, ops].forEach((each) => each.closeAllConnections()), GRACE_MS).unref()
    await Promise.all([server, ops].map((each) => once(each.close(), 'close')))
    current.log.info('stopped')
  }
  return { url, opsUrl, reload, stop }
}

/** Answers what is no request, and closes its connection. */
function endWithError({ code }: NodeJS.ErrnoException, socket: Socket): void {
  const status =
    code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  if (code !== 'ECONNRESET' && socket.writable)
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  else socket.destroy()
}

/**
 * Refuses what another page makes an operator's browser ask: by a name that its owner points at this listener (DNS rebinding),
 * and what the browser itself calls cross-site. A literal address cannot be rebound, and localhost is never in DNS.
 */
function isOperator({ headers }: IncomingMessage, names: readonly string[]): boolean {
  // A request without `Host` comes from no browser.
  const name = hostOf(headers.host || 'localhost').replaceAll(/^\[|\]$/g, '')
  if (isIP(name) === 0 && name !== 'localhost' && !names.includes(name)) return false
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return true
  // Following a link is no danger: the other page cannot read what comes.
  return headers['sec-fetch-mode'] === 'navigate'
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return 'missing'
  }
}

async function listen(server: Server, where: Configuration['listen']): Promise<string> {
  if ('path' in where) {
    // Of a gate that did not stop in order; one that answers stays, and is in the way.
    const peer = connect(where.path)
    const code = await once(peer, 'connect').then(
      String,
      (error: NodeJS.ErrnoException) => error.code,
    )
    peer.destroy()
    if (code === 'ECONNREFUSED' && statSync(where.path).isSocket()) unlinkSync(where.path)
  }
  await once(server.listen(where), 'listening')
  if ('path' in where) return `unix:${where.path}`
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

export function send(res: ServerResponse, { status, headers, body }: Answer): void {
  res.sendDate = !('x-hv-clearance' in headers) // Only a proxy reads such an answer.
  res
    .writeHead(status, {
      ...headers,
      ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }),
    })
    .end(body)
}
