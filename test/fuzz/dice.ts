/** Random numbers that the same seed gives again, so that a finding can be repeated. */
export interface Dice {
  /** A whole number from 0 to `below - 1`. */
  upTo(below: number): number
  pick<T>(from: readonly T[]): T
  /** Whether something of this probability happens. */
  chance(probability: number): boolean
  text(longest: number): string
}

const ALPHABETS = [
  'abcXYZ019-_.',
  '\0\r\n\t \x7f"\\',
  '{}[]:,&=%+;',
  'éß漢\u{1f600}\ud800\u202e',
  '\'"<>$`|/../',
] as const

/** @see https://prng.di.unimi.it/splitmix64.c, in 32 bits: quality enough for a fuzzer, and a few lines. */
export function dice(seed: number): Dice {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    let z = state
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return (z ^ (z >>> 16)) >>> 0
  }
  const upTo = (below: number): number => next() % below
  const pick = <T>(from: readonly T[]): T => from[upTo(from.length)]!
  return {
    upTo,
    pick,
    chance: (probability) => next() < probability * 2 ** 32,
    text(longest) {
      const alphabet = Array.from(pick(ALPHABETS))
      return Array.from({ length: upTo(longest + 1) }, () => pick(alphabet)).join('')
    },
  }
}
