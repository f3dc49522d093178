import { SIGNALS, type Signals } from './signals.ts'

/** A summary's behaviour as texts to be hashed: the same text, the same behaviour. */
export interface Behaviour {
  /** As the browser reported it. Replayed recordings agree in it; two people hardly ever do. */
  readonly exact: string
  /**
   * In cells, on two grids half a cell apart: recordings that were altered by a step or two agree in most of them.
   * undefined for a visit that shows too little for it: who lets a password manager fill in the form is like many others.
   */
  readonly alike: readonly [string, string] | undefined
}

/** Cells are even up to about here and grow with the value beyond: counts; milliseconds of long times. */
const FEW = 8
const LONG_TIME = 1000
/** Cells for each doubling. */
const CELLS = 2

const cellOf = (value: number, half: number, shift: number): number =>
  Math.floor(CELLS * Math.log2(1 + value / half) + shift)

/** What a hand does, counted or timed: not flags, and nothing of the browser itself. */
const FIELDS = (['input', 'page'] as const).flatMap((family) =>
  Object.entries(SIGNALS[family])
    .filter(([, { max }]) => max >= 99)
    .map(([name, { max }]) => ({ family, name, half: max > 10_000 ? LONG_TIME : FEW })),
)

/** With fewer than so many things to tell, people are alike by chance. */
const LEAST = { exact: 3, alike: 6 }

/**
 * What of a summary is hashed to see it again. The two grids are there because no one grid is safe: a value at the edge
 * of a cell changes cells with a step of one, but on the other grid it lies in the middle.
 *
 * @returns undefined when it shows too little to be anybody's.
 */
export function behaviourOf(signals: Signals): Behaviour | undefined {
  const shown = FIELDS.flatMap(({ family, name, half }, i) => {
    const value = (signals[family] as Readonly<Record<string, number>> | undefined)?.[name] ?? 0
    return value > 0 ? [{ i, value, half }] : []
  })
  if (shown.length < LEAST.exact) return undefined
  const grid = (shift: number): string =>
    shown.map(({ i, value, half }) => `${i}:${cellOf(value, half, shift)}`).join(' ')
  return {
    exact: shown.map(({ i, value }) => `${i}=${value}`).join(' '),
    alike: shown.length < LEAST.alike ? undefined : [grid(0), grid(0.5)],
  }
}
