import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { failure } from './faults.ts'

/** Milliseconds that the event loop may be late while many wait; beyond, requests of the API are refused. */
const MOST_DELAY_MS = 150
/** Requests in progress from which on a late event loop is our own work: a machine that does other things delays few as well. */
const MANY = 64
/** Milliseconds between two looks at the delay. */
const LOOK_MS = 50
const REPORT_MS = 1000

/** Further headers of a refusal. */
export type RefusalHeaders = (req: IncomingMessage) => Record<string, string>

export interface Overload {
  /** Reports whether more requests come than can be served in time. @param open requests in progress. */
  isOver(open: number): boolean
  /** Refuses a request unread, for a tenth of what serving it costs. */
  refuse(req: IncomingMessage, res: ServerResponse): void
  end(): void
}

/**
 * Watches how late the event loop is. With twice the load that can be served each turn of it would be longer than the
 * last, until nobody is served in time. The code is `rate-limiter-unavailable`: nobody looked, and nothing was consumed
 * (docs/design/decisions.md, "Requests and answers").
 *
 * @param report told once a second how many were refused, if any.
 * @param headersFor further headers of a refusal.
 */
export function overload(report: (refused: number) => void, headersFor: RefusalHeaders): Overload {
  const histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  let delay = 0
  let refused = 0
  /** When the first request of this turn of the event loop came. */
  let turnBegan: number | undefined

  function msOfTurn(): number {
    if (turnBegan === undefined) {
      turnBegan = performance.now()
      setImmediate(() => (turnBegan = undefined))
    }
    return performance.now() - turnBegan
  }

  const looking = setInterval(() => {
    delay = histogram.max / 1e6
    histogram.reset()
  }, LOOK_MS)
  const reporting = setInterval(() => {
    if (refused > 0) report(refused)
    refused = 0
  }, REPORT_MS)
  looking.unref()
  reporting.unref()
  return {
    isOver: (open) => Math.max(msOfTurn(), delay) > MOST_DELAY_MS && open > MANY,
    refuse(req, res) {
      refused++
      const body = JSON.stringify(failure(['rate-limiter-unavailable']))
      res.writeHead(503, {
        ...headersFor(req),
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': body.length,
        'Cache-Control': 'no-store',
        'Retry-After': '1',
      })
      res.end(body)
    },
    end() {
      histogram.disable()
      clearInterval(looking)
      clearInterval(reporting)
    },
  }
}
