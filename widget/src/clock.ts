/** Two clocks, because each of them fails: the steady one may stop while the device sleeps, the wall clock may be set. */
export interface Clock {
  /** Milliseconds, never backwards. */
  readonly steady: () => number
  /** Milliseconds since 1970, as the visitor's device believes. Only differences are used. */
  readonly wall: () => number
}

export interface Deadline {
  /** Milliseconds left; zero or less when it is over. */
  leftMs(): number
}

/**
 * A moment from now. The clock that says more has passed is believed: a renewal too early costs a request,
 * a token sent too late costs the visitor the form.
 */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const steady = clock.steady()
  const wall = clock.wall()
  return { leftMs: () => ms - Math.max(clock.steady() - steady, clock.wall() - wall) }
}

/** Runs `task` after so many milliseconds, unless the returned function is called before. */
export type After = (ms: number, task: () => void) => () => void

/**
 * Runs `task` when a deadline is over. Browsers cut a timer's fraction of a millisecond off, so it may fire before
 * the clock agrees; then it is set again.
 *
 * @returns calls it off.
 */
export function whenOver(deadline: Deadline, after: After, task: () => void): () => void {
  let cancel = after(Math.max(1, Math.ceil(deadline.leftMs())), look)
  function look(): void {
    if (deadline.leftMs() <= 0) task()
    else cancel = after(Math.ceil(deadline.leftMs()), look)
  }
  return () => cancel()
}
