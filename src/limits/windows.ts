import type { Rate } from '../domain/time.ts'
import { type Seconds, seconds } from '../domain/words.ts'

interface Window {
  readonly endsAt: number
  count: number
}

/** Counts in fixed windows, each of which begins with its first count; in the memory of this process, bounded. */
export interface Windows {
  /** Seconds until the window of someone who used it up ends, at least 1; undefined: there is room for one more. */
  wait(who: string): Seconds | undefined
  count(who: string): void
  /** Takes a count back, in the window of the moment if there is one. */
  giveBack(who: string): void
}

/**
 * A few lines of ours: the library's counter in memory has no bound, and a Node timer per caller.
 *
 * @param rate points: counts per window.
 * @param elapsed milliseconds, of a clock that never jumps.
 * @param capacity callers; when full, the window that began first goes. An owner of so many addresses has as many
 * budgets anyway, and refusing everybody instead would be the easier attack.
 */
export function windows(rate: Rate, elapsed: () => number, capacity: number): Windows {
  // In the order in which the windows began, hence in which they end: all are equally long.
  const open = new Map<string, Window>()

  function dropEnded(now: number): void {
    for (const [who, { endsAt }] of open) {
      if (endsAt > now) return
      open.delete(who)
    }
  }

  return {
    wait(who) {
      const now = elapsed()
      const window = open.get(who)
      if (window === undefined || window.endsAt <= now || window.count < rate.points) return undefined
      return seconds(Math.max(1, Math.ceil((window.endsAt - now) / 1000)))
    },
    count(who) {
      const now = elapsed()
      dropEnded(now)
      const window = open.get(who)
      if (window) {
        window.count++
        return
      }
      if (open.size >= capacity) open.delete(open.keys().next().value!)
      open.set(who, { endsAt: now + rate.per * 1000, count: 1 })
    },
    giveBack(who) {
      const window = open.get(who)
      if (window !== undefined && window.count > 0) window.count--
    },
  }
}
