import type { Arrivals, BudgetPlace } from './visit-budget.ts'

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
  const { takeThen } = arrivals

  /** Milliseconds that are left of a refusal that is repeated; undefined: the store is to be asked. */
  function repeated({ key }: BudgetPlace, now = elapsed()): number | undefined {
    const refusal = refusals.get(key)
    return refusal !== undefined && now < refusal.repeatUntil ? refusal.roomAt - now : undefined
  }

  function remember([own]: readonly BudgetPlace[], now: number, waitMs: number): void {
    if (waitMs === 0) return
    refusals.delete(own!.key)
    if (refusals.size >= capacity) refusals.delete(refusals.keys().next().value!)
    refusals.set(own!.key, { roomAt: now + waitMs, repeatUntil: now + Math.min(waitMs, REPEAT_MS) })
  }

  return {
    repeated,
    async take(places, cost, anyway) {
      const now = elapsed()
      const leftMs = anyway ? undefined : repeated(places[0]!, now)
      if (leftMs !== undefined) return leftMs
      const waitMs = await arrivals.take(places, cost, anyway)
      remember(places, now, waitMs)
      return waitMs
    },
    ...(takeThen && {
      async takeThen(places, next) {
        const now = elapsed()
        const leftMs = repeated(places[0]!, now)
        if (leftMs !== undefined) return { waitMs: leftMs }
        const outcome = await takeThen(places, next)
        remember(places, now, outcome.waitMs)
        return outcome
      },
    }),
  }
}
