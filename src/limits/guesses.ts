import { parseAddress } from '../domain/address.ts'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import type { Guesses } from '../ports/stores.ts'
import { windows } from './windows.ts'

/**
 * Counts wrong secrets per address (IPv6: per /64) in fixed windows that begin with the first guess.
 *
 * @param rate points: guesses per window.
 * @param elapsed milliseconds, of a clock that never jumps.
 * @param capacity addresses; when full, the window that began first goes. Guessing 256 bits stays hopeless.
 */
export function guesses(rate: Rate, elapsed: () => number, capacity = 100_000): Guesses {
  const budget = windows(rate, elapsed, capacity)
  return {
    check(address) {
      const retryAfter = budget.wait(networkOf(address))
      if (retryAfter !== undefined) throw new Fault('rate-limit-exceeded', { retryAfter })
    },
    count: (address) => budget.count(networkOf(address)),
  }
}

const networkOf = (address: string): string => parseAddress(address)?.subscriber ?? address
