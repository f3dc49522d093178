/**
 * Milliseconds of each turn of the event loop for queued checks. The scoring and sealing after each check take half as long
 * again. A solve costs 8 % less than with 2 ms and hardly more than with 8; with each of the three, 500 solves at once delay
 * the loop by 34 to 69 ms.
 */
const TURN_MS = 4

/**
 * Runs tasks in sequence, for a few milliseconds in each turn of the event loop.
 *
 * Redis answers many requests in one packet. Without turns, all their checks would block the loop: 500 checks of 165 µs took
 * 540 ms on a busy machine.
 *
 * The tasks of a turn are settled after the last of them: a check evicts the processor's caches, so the code that follows
 * refills them once per turn, not once per task.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function turns(elapsed = () => performance.now()): <T>(task: () => T) => Promise<T> {
  let queue: { readonly run: () => void; readonly settle: () => void }[] = []
  /** The time at which the share of this turn ends; undefined if none has begun. */
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

/** Runs one task at a time, each after the previous one has settled. */
export function inLine(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const mine = last.then(task, task)
    last = mine.catch(() => {})
    return mine
  }
}
