/** A share of each turn of the event loop, for work that would otherwise take all of it. */
export interface TurnShare {
  /** Starts the share of this turn; `next` runs in the next one. */
  begin(): void
  /** Reports whether a share was started in this turn. */
  isBegun(): boolean
  /** Reports whether the share of this turn is used up; meaningful once it was started. */
  isOver(): boolean
}

/**
 * Gives work some milliseconds of each turn of the event loop, so that timers, sockets and Redis get theirs in between.
 *
 * @param ms milliseconds of a turn, counted from `begin`.
 * @param next runs in the turn after each `begin`, and begins again while work is queued.
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function turnShare(ms: number, next: () => void, elapsed: () => number): TurnShare {
  let endsAt: number | undefined
  function end(): void {
    endsAt = undefined
    next()
  }
  return {
    begin() {
      endsAt = elapsed() + ms
      setImmediate(end)
    },
    isBegun: () => endsAt !== undefined,
    isOver: () => elapsed() >= endsAt!,
  }
}
