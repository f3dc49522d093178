/** Pseudo-random numbers from a seed: a task and its answer are reproduced from the challenge alone. */
export interface Dice {
  /** Returns a whole number from 0 to `count` − 1. */
  below(count: number): number
  /** Returns a whole number from one end to the other, both included. */
  from(least: number, most: number): number
  pick<T>(list: readonly T[]): T
  /** Makes that many values in a row; by a loop, because `Array.from` costs ten times as much. */
  times<T>(count: number, make: (index: number) => T): T[]
  /** Returns the same members in another order. */
  shuffled<T>(list: readonly T[]): T[]
}

/**
 * sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, passes PractRand and BigCrush, no multiplication.
 * It need not be unpredictable: its seed is, and a holder of the tasks has everything it was thrown for.
 *
 * @param seed bytes of a keyed derivation; 16 of them are read.
 * @param at where they begin.
 */
export function proofDice(seed: Uint8Array, at: number): Dice {
  const view = new DataView(seed.buffer, seed.byteOffset)
  let a = view.getInt32(at, true)
  let b = view.getInt32(at + 4, true)
  let c = view.getInt32(at + 8, true)
  let d = view.getInt32(at + 12, true)

  function next(): number {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return t >>> 0
  }
  const below = (count: number): number => next() % count

  return {
    below,
    from: (least, most) => least + below(most - least + 1),
    pick: (list) => list[below(list.length)]!,
    times(count, make) {
      const items = []
      for (let index = 0; index < count; index++) items.push(make(index))
      return items
    },
    shuffled(list) {
      const cards = [...list]
      for (let i = cards.length - 1; i > 0; i--) {
        const j = below(i + 1)
        const card = cards[i]!
        cards[i] = cards[j]!
        cards[j] = card
      }
      return cards
    },
  }
}
