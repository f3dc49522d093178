import type { Arrivals } from './visit-budget.ts'

/** Milliseconds for which a refusal is repeated at the most; then the store is asked again. */
const REPEAT_MS = 1000

/**
 * Repeats a refusal for a second without asking the store: there is no room before the wait is over, since arrival times
 * only grow. So an address that keeps asking costs Redis one call a second from each process.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 * @param capacity addresses; when full, the one that was refused longest ago is asked for again.
 */
export function rememberedRefusals(arrivals: Arrivals, elapsed = () => performance.now(), capacity = 10_000): Arrivals {
  /** By the key of the address: when there is room, and until when that is repeated. */
  const refusals = new Map<string, { readonly roomAt: number; readonly repeatUntil: number }>()

  return {
    async take(places, cost, anyway) {
      const own = places[0]!.key
      const now = elapsed()
      const refusal = anyway ? undefined : refusals.get(own)
      if (refusal !== undefined && now < refusal.repeatUntil) return refusal.roomAt - now
      const waitMs = await arrivals.take(places, cost, anyway)
      if (waitMs === 0) return 0
      refusals.delete(own)
      if (refusals.size >= capacity) refusals.delete(refusals.keys().next().value!)
      refusals.set(own, { roomAt: now + waitMs, repeatUntil: now + Math.min(waitMs, REPEAT_MS) })
      return waitMs
    },
  }
}
