/**
 * One at a time, with the event loop in between.
 *
 * Redis answers many requests in one packet, so what follows the ledger would run for all of them in one go: 500 checks
 * of work, 165 µs each, and nobody else is served meanwhile (C16: 540 ms on a busy machine). Each turn here is a turn
 * of the loop of its own: setImmediate alone is not enough, because all immediates of a phase run together.
 */
export function turns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
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
