/** How many needed things are spared in a row before one is dropped anyway. */
const SPARED = 16

/**
 * Stores things of several kinds in memory, each until its end.
 *
 * @param capacity of each kind. At capacity the oldest that is not needed is dropped; after `SPARED` needed ones, the next in any case.
 * @param isNeeded whether dropping it before its end would do harm.
 * @param onDrop called with the key of each thing that is dropped.
 */
export function boundedKinds<T extends { readonly endsAt: number }>(
  capacity: number,
  isNeeded: (each: T, now: number) => boolean = () => false,
  onDrop: (key: string) => void = () => {},
) {
  /** The things of each kind, in the order of insertion, so that the first mostly end first. */
  const kinds = new Map<string, Map<string, T>>()

  function makeRoom(things: Map<string, T>, now: number): void {
    let spared = 0
    for (const [key, each] of things) {
      const isOver = each.endsAt <= now
      if (!isOver && things.size < capacity) return
      things.delete(key)
      const isSpared = !isOver && spared < SPARED && isNeeded(each, now)
      if (isSpared) {
        spared++
        things.set(key, each)
      } else {
        onDrop(key)
      }
    }
  }

  return {
    get: (kind: string, key: string): T | undefined => kinds.get(kind)?.get(key),
    /** @param now in the unit of `endsAt`. */
    add(kind: string, key: string, thing: T, now: number): T {
      const things = kinds.get(kind) ?? new Map<string, T>()
      kinds.set(kind, things)
      things.delete(key)
      makeRoom(things, now)
      things.set(key, thing)
      return thing
    },
  }
}
