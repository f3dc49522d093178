/**
 * Milliseconds of each turn of the event loop that go to queued checks. The score and the seal that follow each check take
 * half as long again. A solve costs 8 % less than with 2 ms, and hardly more than with 8; 500 solves at once delay the
 * loop by 34 to 69 ms with each.
 */
const TURN_MS = 4

/**
 * Runs tasks one after the other, a few milliseconds of them in each turn of the event loop.
 *
 * Redis answers many requests in one packet, so all their checks of work would follow in one go: 500 checks of 165 µs,
 * while nobody else is served (540 ms on a busy machine).
 *
 * The results of a turn are reported after the last of its tasks: a check empties the processor's caches, so they are
 * filled again once for all that follows, not once for each task.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function turns(elapsed = () => performance.now()): <T>(task: () => T) => Promise<T> {
  let queue: { readonly run: () => void; readonly settle: () => void }[] = []
  /** When the share of this turn ends; undefined: none was begun in it. */
  let endsAt: number | undefined

  function begin(): void {
    endsAt = elapsed() + TURN_MS
    setImmediate(turn)
  }

  function turn(): void {
    endsAt = undefined
    if (queue.length === 0) return
    begin()
    let done = 0
    do queue[done++]!.run()
    while (done < queue.length && elapsed() < endsAt!)
    const finished = queue.slice(0, done)
    queue = queue.slice(done)
    for (const each of finished) each.settle()
  }

  return (task) =>
    new Promise((resolve, reject) => {
      let settle: () => void
      const run = (): void => {
        try {
          const result = task()
          settle = () => resolve(result)
        } catch (error) {
          settle = () => reject(error)
        }
      }
      queue.push({ run, settle: () => settle() })
      if (endsAt === undefined) begin()
    })
}

/** Runs one task at a time, each when the one before it has settled. */
export function inLine(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const mine = last.then(task, task)
    last = mine.catch(() => {})
    return mine
  }
}
