/**
 * `s32.1`; and the fallback `pb.1`, for browsers without a JIT, which take fifty times as long for the former.
 *
 * @see docs/design/work.md, "Browsers without a JIT"
 */
export const ALGORITHMS = ['s32.1', 'pb.1'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

/** The work a challenge asks for: algorithm, steps (`pb.1`: iterations) per unit, units. docs/design/work.md, "The protocol" */
export interface Pow {
  readonly a: Algorithm
  readonly s: number
  readonly n: number
  /** Milliseconds of work after which a browser hands in the part that it has done. */
  readonly b: number
}

/**
 * Steps of one unit of `s32.1`. Short units make the check cheap. A walk of 1,024 changes 86 % of the lines of its table; a
 * shorter one would leave more of them as they were.
 *
 * @see docs/design/work.md, "The size of a unit"
 */
export const STEPS = 1024

/** Iterations of one unit of `pb.1`. */
const ITERATIONS = 2000

/**
 * Units of `s32.1` that one of `pb.1` stands for. It takes 0.4 ms with OpenSSL, and can hardly be made to take less than
 * 0.13 ms (4,000 blocks of SHA-256 by a processor's own instructions): twelve units of `s32.1` are 0.11 ms of native code,
 * so no processor finds it cheaper.
 */
const UNITS_OF_PB = 12

/**
 * Units of work at a level: 1,536 at 0, 4,608 at 1, then 9,216 · 2^(level−2); in between, on the line or the curve.
 *
 * @param level 0 to 8, fractions allowed.
 * @see docs/design/work.md, "Difficulty"
 */
export function unitsAtLevel(level: number): number {
  if (!(level >= 0 && level <= 8))
    throw new RangeError(`expected a level from 0 to 8; got ${level}`)
  if (level < 1) return Math.round(1536 + 3072 * level)
  if (level < 2) return Math.round(4608 * level)
  return Math.round(9216 * 2 ** (level - 2))
}

/**
 * Returns the level for a number of units, the inverse of `unitsAtLevel`, rounded down.
 *
 * @param units fewer than the least are level 0, more than the most level 8.
 */
export function levelOfUnits(units: number): number {
  return Math.min(8, Math.max(0, Math.floor(exactLevel(units) * 100) / 100))
}

function exactLevel(units: number): number {
  if (units < 4608) return (units - 1536) / 3072
  if (units < 9216) return units / 4608
  return 2 + Math.log2(units / 9216)
}

/**
 * The work of a challenge at a level.
 *
 * @param b milliseconds, as in `Pow`.
 */
export function powAt(level: number, a: Algorithm, b: number): Pow {
  const n = unitsAtLevel(level)
  return a === 'pb.1'
    ? { a, s: ITERATIONS, n: Math.ceil(n / UNITS_OF_PB), b }
    : { a, s: STEPS, n, b }
}

/** The work that was asked for, in units of `s32.1`. */
export const unitsOf = ({ a, n }: Pow): number => (a === 'pb.1' ? n * UNITS_OF_PB : n)
