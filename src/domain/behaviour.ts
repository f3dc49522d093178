import type { SIGNALS, SignalFamily, Signals } from './signals.ts'

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

type Names<F extends SignalFamily> = readonly (keyof (typeof SIGNALS)[F])[]

const counted: Names<'input'> = [
  'trusted',
  'untrusted',
  'moves',
  'coalesced',
  'moveGap',
  'rawRatio',
  'presses',
  'flatPresses',
  'touches',
  'jumps',
  'centred',
  'reaches',
  'straight',
  'even',
  'pressHold',
  'timed',
  'samePhase',
  'keys',
  'timedKeys',
  'overlaps',
  'bareCapitals',
  'unfocused',
  'pastes',
  'autofills',
  'wholeTexts',
  'keyHold',
  'keyHoldSpread',
  'keyGap',
  'keyGapSpread',
]
const focused: Names<'page'> = ['loneFocus']
const long: Names<'page'> = ['firstTouch', 'filling']

/**
 * What a hand does, counted or timed: not flags, and nothing of the browser itself. By name: a signal that is added
 * tells nothing here until somebody has seen what it does to a crowd (test/domain/behaviour.test.ts).
 */
const FIELDS = [
  ...counted.map((name) => ({ family: 'input', name, half: FEW }) as const),
  ...focused.map((name) => ({ family: 'page', name, half: FEW }) as const),
  ...long.map((name) => ({ family: 'page', name, half: LONG_TIME }) as const),
]

/** With fewer than so many things to tell, people are alike by chance. */
const LEAST = { exact: 3, alike: 6 }

/**
 * What of a summary is hashed to see it again. The two grids are there because no one grid is safe: a value at the edge
 * of a cell changes cells with a step of one, but on the other grid it lies in the middle.
 *
 * @returns undefined when it shows too little to be anybody's.
 */
export function behaviourOf(signals: Signals): Behaviour | undefined {
  const exact: string[] = []
  const even: string[] = []
  const odd: string[] = []
  for (const { family, name, half } of FIELDS) {
    const value = (signals[family] as Readonly<Record<string, number>> | undefined)?.[name] ?? 0
    if (value <= 0) continue
    const cell = CELLS * Math.log2(1 + value / half)
    exact.push(`${name}=${value}`)
    even.push(`${name}:${Math.floor(cell)}`)
    odd.push(`${name}:${Math.floor(cell + 0.5)}`)
  }
  if (exact.length < LEAST.exact) return undefined
  return {
    exact: exact.join(' '),
    alike: exact.length < LEAST.alike ? undefined : [even.join(' '), odd.join(' ')],
  }
}
