import type { ServerResponse } from 'node:http'

export interface Unanswered {
  /** Until the response is sent or its connection gone. */
  add(res: ServerResponse): void
  all(): readonly ServerResponse[]
}

/**
 * The responses that are still owed.
 *
 * Not a Set: each time V8 makes room in one, the table before keeps its members and points to the next. Once such a table
 * is old, all that come after hang on to it, and every response lives until the next great collection: with 64 in flight
 * 10 µs of CPU a request (docs/performance.md, "What a request must not do").
 */
export function unanswered(): Unanswered {
  const places: (ServerResponse | undefined)[] = []
  const free: number[] = []
  return {
    add(res) {
      const at = free.pop() ?? places.length
      places[at] = res
      res.on('close', () => {
        places[at] = undefined
        free.push(at)
      })
    },
    all: () => places.filter((res) => res !== undefined),
  }
}
