import type { ServerResponse } from 'node:http'

/** Milliseconds between two signs of life of the event loop. */
const TICK_MS = 10
/**
 * Milliseconds of one turn of the loop that go to requests; whoever comes later in it is refused. What was begun still
 * has to be finished, which takes about as long again, so nobody waits for more than two thirds of a second.
 */
const TURN_MS = 300
/** Fewer than these in flight are always served: then it was not they who held the loop up. */
const ALWAYS_SERVED = 256
/** Milliseconds between two reports. */
const REPORT_MS = 1000

export interface Overload {
  /** Whether one more request would wait too long. @param inFlight requests not yet answered. */
  isOver(inFlight: number): boolean
  /** Answers that it is, for a tenth of what serving would cost. */
  refuse(res: ServerResponse): void
  end(): void
}

/**
 * Refuses before queues build.
 *
 * A turn of the loop reads all that has arrived. With twice the load that can be served each turn would be longer than
 * the last, and soon everybody would wait for seconds and nobody be served in time. So a turn may be long only up to
 * a point; it needs no history, and so it recovers with the next turn. The code is `rate-limiter-unavailable`: nobody
 * looked, and nothing was consumed (README, "Where the specification is silent").
 *
 * @param elapsed milliseconds of a clock that never jumps.
 * @param report told once a second how many were refused.
 */
export function overload(report: (refused: number) => void, elapsed = () => performance.now()): Overload {
  let turnBegan = elapsed()
  let refused = 0
  const ticking = setInterval(() => {
    turnBegan = elapsed()
  }, TICK_MS)
  const reporting = setInterval(() => {
    if (refused > 0) report(refused)
    refused = 0
  }, REPORT_MS)
  ticking.unref()
  reporting.unref()

  return {
    isOver: (inFlight) => inFlight >= ALWAYS_SERVED && elapsed() - turnBegan > TURN_MS,
    refuse(res) {
      refused++
      res.writeHead(503, HEADERS).end(BODY)
    },
    end() {
      clearInterval(ticking)
      clearInterval(reporting)
    },
  }
}

const BODY = '{"success":false,"error-codes":["rate-limiter-unavailable"]}'
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Retry-After': '1',
  'Content-Length': BODY.length,
}
