/** Milliseconds of one turn of the event loop that go to what waits here. */
const TURN_MS = 4

/**
 * One after the other, with the event loop in between.
 *
 * Redis answers many requests in one packet, so what follows the ledger would run for all of them in one go: 500 checks
 * of work, 165 µs each, and nobody else is served meanwhile (C16: 540 ms on a busy machine). Here they get some
 * milliseconds of each turn of the loop; more of it than requests that only come (http/overload.ts), so that what
 * was begun is also ended.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function turns(elapsed = () => performance.now()): () => Promise<void> {
  let waiting: (() => void)[] = []
  let next = 0
  let endsAt: number | undefined

  function begin(): void {
    endsAt = elapsed() + TURN_MS
    call()
  }

  /** Lets the first of them run, then looks again. */
  function call(): void {
    waiting[next++]!()
    queueMicrotask(goOn)
  }

  function goOn(): void {
    if (next < waiting.length) {
      if (elapsed() < endsAt!) call()
      else setImmediate(begin)
      return
    }
    ;[waiting, next, endsAt] = [[], 0, undefined]
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (endsAt !== undefined) return
      endsAt = Infinity
      setImmediate(begin)
    })
}

/** One at a time, each when the one before it has ended, however it did. */
export function inLine(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const mine = last.then(task, task)
    last = mine.catch(() => {})
    return mine
  }
}
