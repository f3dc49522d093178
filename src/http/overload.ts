import type { ServerResponse } from 'node:http'
import type { Log, Meters } from '../domain/observing.ts'
import { HEALTH } from '../wire.ts'
import { eachSecond } from './connections.ts'
import { type App, failure } from './messages.ts'

/** Requests that are started in one turn of the event loop while none waits in line. */
const AT_ONCE = 64
/** Requests of the line that are started in one turn. Few, because Node.js accepts one new connection in each. */
const FROM_LINE = 2
/** Requests that are refused in one turn, at most: less work than those that are started. */
const REFUSED = 8
/** Milliseconds after which a request in line is overdue: the promise is an answer within 2 s. */
const PATIENCE_MS = 1000

const BODY = JSON.stringify(failure(['rate-limiter-unavailable']))
const HEAD = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': BODY.length,
  'Cache-Control': 'no-store',
  'Retry-After': '1',
}
/** The widget reads refusals as well. One tells nothing of a site, and comes without credentials. */
const READABLE_HEAD = {
  ...HEAD,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}

/**
 * Keeps each turn of the event loop short, so that new connections and health checks are read in time: starts some requests
 * in a turn, and queues the others. Each turn refuses some that have waited for a second, and then starts the oldest that are
 * left. A request is refused unread, before Express, with `rate-limiter-unavailable`: nothing was consumed
 * (docs/design/decisions.md, "Requests and answers").
 */
export function overload(
  app: App,
  { meters, log }: { meters: Pick<Meters, 'shed'>; log: Log },
): App {
  const refused = eachSecond((requests) => {
    meters.shed(requests)
    log.warn('overload: requests refused', { detail: `${requests} refused in a second` })
  })
  const line: {
    readonly since: number
    readonly res: ServerResponse
    readonly begin: () => void
  }[] = []
  let started = 0
  let isTurning = false

  function start(begin: () => void): void {
    started++
    if (!isTurning) setImmediate(turn)
    isTurning = true
    begin()
  }

  function turn(): void {
    started = 0
    isTurning = line.length > 0
    if (!isTurning) return
    const due = performance.now() - PATIENCE_MS
    for (let i = 0; i < REFUSED && (line[0]?.since ?? Infinity) < due; i++)
      refuse(line.shift()!.res)
    // Each starts in its own callback, so that Node.js runs at once what it starts.
    for (let i = Math.min(line.length, FROM_LINE); i > 0; i--) setImmediate(startOldest)
    setImmediate(turn)
  }

  function startOldest(): void {
    const oldest = line.shift()
    if (oldest && !oldest.res.destroyed) start(oldest.begin)
  }

  function refuse(res: ServerResponse): void {
    const { url = '', headers } = res.req
    if (res.destroyed) return
    refused()
    const isReadable = headers.origin !== undefined && !/\/siteverify(?:$|\?)/.test(url)
    res.writeHead(503, isReadable ? READABLE_HEAD : HEAD).end(BODY)
  }

  return (req, res, unreadable) => {
    const begin = (): void => app(req, res, unreadable)
    // A check does not wait behind verdicts, or proxies would take a busy instance out; nor does a new connection.
    const isUrgent = req.url === HEALTH.path || req.socket.bytesWritten === 0
    if (started < AT_ONCE && (isUrgent || line.length === 0)) start(begin)
    else line.push({ since: performance.now(), res, begin })
  }
}
