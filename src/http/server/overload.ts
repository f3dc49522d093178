import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { turnShare } from '../../runtime/turn-share.ts'
import { noteWait } from '../api/deadline.ts'
import { readyFailure } from '../api/failure.ts'
import type { Head } from '../api/response-head.ts'

/** Adds to the head of what is refused. */
export type RefusalHead = (req: IncomingMessage, head: Head) => void

/**
 * Milliseconds of one turn of the event loop that go to requests that have just come, with all that they begin until they
 * wait for Redis; the others wait for the next turn.
 */
const TURN_MS = 12
/** Milliseconds that a request may have waited for its turn; then it is refused. Its operation has what is left of its 800. */
const PATIENCE_MS = 500
/** Requests that may wait for their turn: some 200 ms of work. When more do, those that came first are refused. */
const MOST_WAITING = 2000
/** Milliseconds between two reports. */
const REPORT_MS = 1000

export interface Overload {
  /** Serves now or in a later turn of the event loop, or refuses. */
  readonly take: RequestListener
  end(): void
}

interface QueuedRequest {
  readonly req: Parameters<RequestListener>[0]
  readonly res: ServerResponse
  /** Milliseconds. */
  readonly since: number
}

/**
 * Serves in turns, and refuses before queues build.
 *
 * A turn of the loop reads all that has arrived, and would serve all of it before anything else: 500 requests at once held
 * up everybody for 180 ms, and with twice the load that can be served each turn would be longer than the last,
 * until nobody is served in time. So a turn serves only up to a point, and answers of Redis, health and timers get
 * theirs; and who has waited too long, or has too many behind, is told to come again, for a tenth of what serving would
 * cost. It needs no history, and so it recovers at once. The code is `rate-limiter-unavailable`: nobody looked, and
 * nothing was consumed (docs/design/decisions.md, "Requests and answers").
 *
 * @param elapsed milliseconds of a clock that never jumps.
 * @param report told once a second how many were refused.
 * @param refusalHead asked for each of them.
 */
export function overload(
  serve: RequestListener,
  report: (refused: number) => void,
  elapsed = () => performance.now(),
  refusalHead: RefusalHead = () => {},
): Overload {
  let waiting: QueuedRequest[] = []
  let refused = 0
  const reporting = setInterval(() => {
    if (refused > 0) report(refused)
    refused = 0
  }, REPORT_MS)
  reporting.unref()

  const share = turnShare(TURN_MS, nextTurn, elapsed)

  function nextTurn(): void {
    if (waiting.length === 0) return
    share.begin()
    let done = 0
    // All of them, however long it takes: to refuse only some each turn would let the rest wait for ever longer.
    while (done < waiting.length && isOverdue(done)) refuse(waiting[done++]!)
    serveOn()

    // One by one, each after what the one before began in ticks and promises: that is most of the work, and it counts.
    function serveOn(): void {
      if (done === waiting.length || share.isOver()) {
        waiting = waiting.slice(done)
        return
      }
      begin(waiting[done++]!)
      process.nextTick(serveOn)
    }
  }

  const isOverdue = (i: number): boolean =>
    waiting.length - i > MOST_WAITING || elapsed() - waiting[i]!.since > PATIENCE_MS

  // Skips clients that disconnected while queued.
  function refuse({ req, res }: QueuedRequest): void {
    if (res.destroyed) return
    refused++
    const head: Head = { ...REFUSAL.head, 'Retry-After': '1' }
    refusalHead(req, head)
    res.writeHead(503, head).end(REFUSAL.body)
  }

  function begin({ req, res, since }: QueuedRequest): void {
    if (res.destroyed) return
    noteWait(res, elapsed() - since)
    serve(req, res)
  }

  return {
    take(req, res) {
      if (!share.isBegun()) share.begin()
      if (waiting.length === 0 && !share.isOver()) serve(req, res)
      else waiting.push({ req, res, since: elapsed() })
    },
    end: () => clearInterval(reporting),
  }
}

const REFUSAL = readyFailure('rate-limiter-unavailable')
