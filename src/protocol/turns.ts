/**
 * Milliseconds of one turn of the event loop that go to what waits here; what follows of each, the score and the seal,
 * takes half as long again. A solve costs 8 % less than with 2, and with 8 hardly less than so; C16 is 34 to 69 ms with each.
 */
const TURN_MS = 4

interface Waiting {
  run(): void
  /** Tells how it went. */
  tell(): void
}

/**
 * One after the other, with the event loop in between.
 *
 * Redis answers many requests in one packet, so what follows the ledger would run for all of them in one go: 500 checks
 * of work, 165 µs each, and nobody else is served meanwhile (C16: 540 ms on a busy machine). Here they get some
 * milliseconds of each turn of the loop.
 *
 * The results of a turn are told after the last of its tasks: a check empties the processor's caches, and they are
 * filled again once for all that follows, not for each (bench/solve.mjs).
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function turns(elapsed = () => performance.now()): <T>(task: () => T) => Promise<T> {
  let waiting: Waiting[] = []
  let isTurnSet = false

  function turn(): void {
    const endsAt = elapsed() + TURN_MS
    let done = 0
    do waiting[done++]!.run()
    while (done < waiting.length && elapsed() < endsAt)
    const told = waiting.slice(0, done)
    waiting = waiting.slice(done)
    for (const each of told) each.tell()
    isTurnSet = waiting.length > 0
    if (isTurnSet) setImmediate(turn)
  }

  return (task) =>
    new Promise((resolve, reject) => {
      let tell: () => void
      const run = (): void => {
        try {
          const result = task()
          tell = () => resolve(result)
        } catch (error) {
          tell = () => reject(error)
        }
      }
      waiting.push({ run, tell: () => tell() })
      if (isTurnSet) return
      isTurnSet = true
      setImmediate(turn)
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
