import type { RequestHandler } from 'express'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Fault } from '../domain/codes.ts'
import { seconds } from '../domain/words.ts'

/** Milliseconds that the event loop may be late while many wait; beyond, requests are refused. */
const MOST_DELAY_MS = 150
/** Requests in progress above which a late event loop counts as overload; with fewer, the machine may be busy with something else. */
const MANY = 64
/** Milliseconds between two looks at the delay. */
const LOOK_MS = 50

/**
 * Refuses requests unread while the event loop is late: with twice the load that can be served each turn of it would be
 * longer than the last, until nobody is served in time. The code is `rate-limiter-unavailable`: nobody looked, and nothing
 * was consumed (docs/design/decisions.md, "Requests and answers").
 *
 * @param report told how many were refused, a second after the first of them.
 * @param stop ends the look at the event loop.
 */
export function overload(report: (refused: number) => void, stop: AbortSignal): RequestHandler {
  const refused = eachSecond(report)
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  /** How late the event loop was lately, in milliseconds. */
  let delay = 0
  const timer = setInterval(() => {
    delay = delays.max / 1e6
    delays.reset()
  }, LOOK_MS).unref()
  stop.addEventListener('abort', () => {
    clearInterval(timer)
    delays.disable()
  })
  let open = 0
  /** When the first request of this turn of the event loop came. */
  let turnBegan: number | undefined

  function msOfTurn(): number {
    if (turnBegan === undefined) {
      turnBegan = performance.now()
      setImmediate(() => (turnBegan = undefined))
    }
    return performance.now() - turnBegan
  }

  return (_req, res, next) => {
    if (Math.max(msOfTurn(), delay) > MOST_DELAY_MS && open > MANY) {
      refused()
      throw new Fault('rate-limiter-unavailable', { retryAfter: seconds(1) })
    }
    open++
    res.once('close', () => open--)
    next()
  }
}

/** Counts calls, and reports their number a second after the first. */
export function eachSecond(report: (count: number) => void): () => void {
  let count = 0
  function tell(): void {
    report(count)
    count = 0
  }
  return () => {
    if (count++ === 0) setTimeout(tell, 1000).unref()
  }
}
