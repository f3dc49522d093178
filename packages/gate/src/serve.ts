/** The gate as a process: a listener for proxies, one for its operators, and a look at its files every second. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clearances } from './clearances.ts'
import { type Answer, FORBIDDEN, gatekeeper, json } from './gatekeeper.ts'
import { createLog } from './log.ts'
import { createMeters } from './meters.ts'
import { type Configuration, readSettings } from './read-settings.ts'
import { checkedVisit, isInRanges, MissingHeader, readVisit, visitOf } from './visit.ts'

/** Longer than proxies keep theirs, or they send a request into a connection that we close. */
const LISTENER = { keepAliveTimeout: 65_000, requestTimeout: 10_000 }
/** Bytes of `POST /.hv/pass`; a token has about 900. */
const MOST_BYTES = 16_384
const LOOK_MS = 1000
/** Milliseconds that idle connections stay open at the end, since a proxy may be about to use one. */
const DRAIN_MS = 250
/** Milliseconds that requests may take at the end. */
const GRACE_MS = 5000

/** The name of what is asked for below our prefix; undefined: it is a path of the site. */
export const assetOf = (target = ''): string | undefined => /^\/\.hv\/([a-z.]+)(?:\?.*)?$/s.exec(target)?.[1]

/** @param file of the configuration. @throws {SettingsError} */
export async function serve(file: string, write: (line: string) => unknown) {
  let settings = readSettings(file)
  const log = createLog(settings.log_level, write)
  const meters = createMeters()
  let held = clearances(settings.keys)
  let keeper = gatekeeper(settings, { clearances: held, meters, log })
  let isDraining = false
  /** Peers that are proxies of ours, which are few: each request asks. */
  let proxies = new Map<string, true>()

  /** Takes a changed configuration, whole or not at all. */
  function reload(): void {
    try {
      const next = readSettings(file)
      if (JSON.stringify(next.keys) !== JSON.stringify(settings.keys)) held = clearances(next.keys)
      settings = next
      proxies = new Map()
      keeper = gatekeeper(settings, { clearances: held, meters, log })
      log.info('configuration reloaded')
    } catch (error) {
      log.error('configuration not reloaded; the old one stays in force', { detail: String(error) })
    }
  }

  async function checked(req: IncomingMessage): Promise<Answer> {
    const visit = checkedVisit(req, settings.trusted_proxies)
    if (!visit) return json(404, { error: 'not found' })
    const decision = await keeper.check(visit)
    // Always there, so that a proxy overwrites what the visitor may have sent.
    if ('clearance' in decision) return { status: 204, headers: { 'x-hv-clearance': decision.clearance }, body: '' }
    if (!req.url!.startsWith('/check/nginx')) return decision.answer?.() ?? FORBIDDEN
    // nginx shows the page by `error_page 401`, and makes an error of its own of all but 401 and 403.
    return { status: decision.answer ? 401 : 403, headers: {}, body: '' }
  }

  async function own(req: IncomingMessage, asset: string): Promise<Answer> {
    const { headers, method = 'GET', url: target = '' } = req
    const { trusted_proxies: trusted } = settings
    // The visit that nginx blocked; who comes by hand was not.
    const blocked = { 'x-original-method': 'GET', 'x-original-uri': '/', ...headers }
    if (asset === 'blocked') return keeper.own(readVisit('original', blocked, trusted), asset, '')
    const body = asset === 'pass' ? await bodyOf(req) : ''
    return keeper.own(visitOf({ method, target, headers }, headers.host, trusted), asset, body)
  }

  async function answer(req: IncomingMessage): Promise<Answer> {
    const { remoteAddress = '' } = req.socket
    const isProxy = proxies.get(remoteAddress) ?? isInRanges(remoteAddress, settings.trusted_proxies)
    if (isProxy) proxies.set(remoteAddress, true)
    else {
      log.seldom('a peer that is no trusted proxy')
      return FORBIDDEN
    }
    try {
      const asset = assetOf(req.url)
      if (asset !== undefined) return await own(req, asset)
      const end = meters.checkSeconds.startTimer()
      const given = await checked(req)
      end()
      return given
    } catch (error) {
      const detail = error instanceof MissingHeader ? error.message : 'internal error'
      log.seldom(detail, { detail: String(error) })
      return json(500, { error: detail })
    }
  }

  const server = createServer(LISTENER, (req, res) => {
    if (isDraining) res.setHeader('connection', 'close')
    void answer(req).then((given) => send(res, given))
  })
  const ops = createServer(LISTENER, (req, res) => {
    const headers = { 'content-type': meters.registry.contentType }
    if (req.url === '/metrics') void meters.registry.metrics().then((body) => send(res, { status: 200, headers, body }))
    else send(res, req.url === '/ready' ? json(200, { ready: true }) : json(404, { error: 'not found' }))
  })
  const url = await listen(server, settings.listen)
  const opsUrl = await listen(ops, settings.ops_listen)
  log.info('listening', { url, ops_url: opsUrl })

  let seen = marksOf(settings)
  const timer = setInterval(() => {
    const marks = marksOf(settings)
    if (marks !== seen) reload()
    seen = marks
  }, LOOK_MS).unref()
  /** Answers what comes, ends each connection after its answer, and then listens no longer. */
  async function stop(): Promise<void> {
    clearInterval(timer)
    isDraining = true
    await sleep(DRAIN_MS)
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    await Promise.all([once(server.close(), 'close'), once(ops.close(), 'close')])
    clearTimeout(cut)
    log.info('stopped')
  }
  return { url, opsUrl, reload, stop }
}

/** Another text after every change of a file. */
const marksOf = ({ files }: Configuration): string =>
  files
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((found) => `${found?.ino} ${found?.size} ${found?.mtimeMs}`)
    .join()

async function listen(server: Server, { host, port }: Configuration['listen']): Promise<string> {
  await once(server.listen(port, host), 'listening')
  const { address, family, port: bound } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}

/** Returns the beginning of a body; of one that is too large, the token is refused. */
export async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) if ((body += String(chunk)).length > MOST_BYTES) break
  return body
}

export function send(res: ServerResponse, { status, headers, body }: Answer): void {
  res.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }) }).end(body)
}
