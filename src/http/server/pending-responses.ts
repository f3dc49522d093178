import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Unanswered {
  /**
   * Until the response is sent or its connection gone.
   *
   * @returns how many its connection is owed now: more than one when the client does not wait for answers.
   */
  add(req: IncomingMessage, res: ServerResponse): number
  /** How many a connection is owed. */
  of(connection: Socket): number
  all(): readonly ServerResponse[]
  end(): void
}

/** Milliseconds without a byte, either way, while an answer is owed: a peer that takes none of it is cut. */
const STALLED_MS = 30_000

/**
 * The responses that are still owed, by connection.
 *
 * Not a Set: each time V8 makes room in one, the table before keeps its members and points to the next. Once such a table
 * is old, all that come after hang on to it, and every response lives until the next great collection: with 64 in flight
 * 10 µs of CPU a request (docs/design/performance.md, "What a request must not do").
 */
export function unanswered(stalledMs = STALLED_MS): Unanswered {
  /** Responses that each connection is owed, in the order of its requests. */
  const owedTo = new WeakMap<Socket, ServerResponse[]>()
  const places: (ServerResponse[] | undefined)[] = []
  const free: number[] = []
  const watch = setInterval(watchStalled, stalledMs / 6)
  watch.unref()

  /**
   * Node.js cuts what stalls, if it is told to. `server.timeout` tells it of every request, which costs each a timer; most are
   * answered before we look. It takes the timer back when the last answer is out.
   */
  function watchStalled(): void {
    for (const responses of places) {
      const socket = responses?.[0]?.socket
      if (socket && !socket.timeout) socket.setTimeout(stalledMs)
    }
  }

  function begin(connection: Socket): ServerResponse[] {
    const responses: ServerResponse[] = []
    owedTo.set(connection, responses)
    const at = free.pop() ?? places.length
    places[at] = responses
    connection.once('close', () => {
      places[at] = undefined
      free.push(at)
      // Node.js tells the one whose turn it was, now; the others would be kept, and never logged.
      process.nextTick(() => {
        for (const res of responses.slice()) res.destroy().emit('close')
      })
    })
    return responses
  }

  return {
    add(req, res) {
      const responses = owedTo.get(req.socket) ?? begin(req.socket)
      res.on('close', () => {
        const at = responses.indexOf(res)
        if (at === 0) responses.shift()
        else if (at > 0) responses.splice(at, 1)
      })
      return responses.push(res)
    },
    of: (connection) => owedTo.get(connection)?.length ?? 0,
    all: () => places.flatMap((responses) => responses ?? []),
    end: () => clearInterval(watch),
  }
}
