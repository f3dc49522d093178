import { parseAddress } from '../domain/address.ts'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import { seconds } from '../domain/words.ts'
import type { Guesses } from '../ports.ts'

interface Window {
  readonly endsAt: number
  count: number
}

/**
 * Counts wrong secrets per address (IPv6: per /64) in fixed windows that begin with the first guess.
 * A few lines of ours: the library's counter in memory answers with a promise, and has no bound.
 *
 * @param rate points: guesses per window.
 * @param elapsed milliseconds, of a clock that never jumps.
 * @param capacity addresses; when full, the window that began first goes. Guessing 256 bits stays hopeless.
 */
export function guesses(rate: Rate, elapsed: () => number, capacity = 100_000): Guesses {
  // In the order in which the windows began, hence in which they end: all are equally long.
  const windows = new Map<string, Window>()

  function dropEnded(now: number): void {
    for (const [network, { endsAt }] of windows) {
      if (endsAt > now) return
      windows.delete(network)
    }
  }

  return {
    check(address) {
      const now = elapsed()
      const window = windows.get(networkOf(address))
      if (window === undefined || window.endsAt <= now || window.count < rate.points) return
      const retryAfter = seconds(Math.max(1, Math.ceil((window.endsAt - now) / 1000)))
      throw new Fault('rate-limit-exceeded', { retryAfter })
    },
    count(address) {
      const now = elapsed()
      dropEnded(now)
      const network = networkOf(address)
      const window = windows.get(network)
      if (window) {
        window.count++
        return
      }
      if (windows.size >= capacity) windows.delete(windows.keys().next().value!)
      windows.set(network, { endsAt: now + rate.per * 1000, count: 1 })
    },
  }
}

const networkOf = (address: string): string => parseAddress(address)?.network ?? address
