/**
 * The generic cell rate algorithm (ITU-T I.371, Annex A), as a virtual scheduling algorithm. There are no windows at whose
 * boundary a budget could be used twice, and the state is one number. charges.lua has the same rule.
 */

/** A budget, in milliseconds. */
export interface Limit {
  /** The time in which one point returns. */
  readonly emissionInterval: number
  /** The time of all points that may be used at once: the emission interval times the burst. */
  readonly burstOffset: number
}

export interface Decision {
  readonly isAllowed: boolean
  /** Milliseconds until the cost fits, if it does not. */
  readonly retryIn: number
  /** The theoretical arrival time if the cost is charged, in Unix milliseconds. */
  readonly newTat: number
}

/** Rounding errors may make a cost that just fits exceed the burst, by this share of the cost at most. */
const ROUNDING = 0.01

/**
 * Decides whether a cost fits a budget.
 *
 * @param tat the theoretical arrival time: when all points that were used have returned, in Unix milliseconds. undefined: the
 *   budget was not used.
 * @param now Unix milliseconds of the caller.
 * @param cost in points, more than 0; may be a fraction.
 */
export function decide(limit: Limit, tat: number | undefined, now: number, cost: number): Decision {
  const { emissionInterval, burstOffset } = limit
  const increment = emissionInterval * cost
  const isPlausible = tat !== undefined && tat - now <= burstOffset + toleranceOf(burstOffset)
  const newTat = (isPlausible ? Math.max(now, tat) : now) + increment
  const allowAt = newTat - burstOffset
  const isAllowed = allowAt - now <= increment * ROUNDING
  return { isAllowed, retryIn: isAllowed ? 0 : Math.ceil(allowAt - now), newTat }
}

/**
 * How far beyond its maximum a theoretical arrival time may be. One that is farther was written by a caller whose clock was
 * wrong, and does not count. Clocks may differ by up to ten seconds, but by less for budgets that return within seconds: such
 * a difference would refuse all visitors.
 */
const toleranceOf = (burstOffset: number): number =>
  Math.max(2000, Math.min(10_000, burstOffset / 10))
