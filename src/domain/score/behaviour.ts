import type { SIGNALS, SignalFamily, Signals } from './signals.ts'

/**
 * Cells that a visit's behaviour falls into, as pairs of 32-bit numbers: one cell for exactly these numbers, then one of
 * each grid. Two visits that agree in a number share the cell.
 */
export interface BehaviourCells {
  readonly exact: BehaviourCell
  /** Fewer than `GRIDS.length` where the visit does not show the numbers of a grid. */
  readonly grids: readonly BehaviourCell[]
  /** True if so many numbers are shown that two people hardly ever agree in all of them. */
  readonly isRich: boolean
}

/** Two independent hashes of one cell, 32 bits each, unsigned. */
export type BehaviourCell = readonly [number, number]

type Names<F extends SignalFamily> = readonly (keyof (typeof SIGNALS)[F])[]

const COUNTED: Names<'input'> = [
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
const TIMED: Names<'page'> = ['loneFocus', 'firstTouch', 'filling']

/**
 * Numbers of a hand, counted or timed: no flags, and nothing of the browser itself. By name: a signal that is added tells
 * nothing here until somebody has seen what it does to a crowd (test/rooms/domain/score/behaviour.test.ts).
 */
const FIELDS = [
  ...COUNTED.map((name) => ({ family: 'input', name }) as const),
  ...TIMED.map((name) => ({ family: 'page', name }) as const),
]

/** With fewer numbers people are alike by chance. */
const LEAST_EXACT = 3
const RICH = 8

/**
 * The grids: each looks at five or six numbers that differ from person to person, most of them times. No number is in all
 * of them, so that one altered number leaves some cells as they were. A visit that lacks a number of a grid is not in it.
 */
export const GRIDS: readonly (readonly (keyof (typeof SIGNALS)['input'] | keyof (typeof SIGNALS)['page'])[])[] = [
  ['keyHold', 'keyHoldSpread', 'keyGapLong', 'filling', 'firstTouch'],
  ['keyHold', 'keyGap', 'keyGapSpread', 'filling', 'firstTouch'],
  ['keyHoldSpread', 'keyGapSpread', 'filling', 'firstTouch', 'timed'],
  ['keyHoldSpread', 'keyGap', 'keyGapLong', 'firstTouch', 'timed'],
  ['keyHold', 'keyHoldSpread', 'keyGap', 'keyGapSpread', 'keyGapLong', 'timed'],
  ['keyHold', 'keyGap', 'filling', 'moves', 'pressHold'],
  ['keyHoldSpread', 'keyGapSpread', 'firstTouch', 'moves', 'rawRatio'],
  ['moves', 'timed', 'filling', 'firstTouch', 'pressHold'],
  ['keyGapLong', 'moves', 'coalesced', 'filling', 'firstTouch'],
  ['trusted', 'presses', 'pressHold', 'filling', 'firstTouch', 'rawRatio'],
  ['keyHold', 'keyGapLong', 'filling', 'moves', 'timed'],
  ['keyHoldSpread', 'keyGap', 'filling', 'firstTouch', 'pressHold'],
]
/** Width of a cell in natural logarithms: numbers 15 % apart lie in neighbouring cells. */
const WIDTH = 0.15

/**
 * The cells of a summary's behaviour.
 *
 * @param seed at least eight secret numbers: nobody without them can aim at a cell.
 * @returns undefined when the visit shows too little to be anybody's.
 */
export function behaviourCells(signals: Signals, seed: Int32Array): BehaviourCells | undefined {
  const exact = cellHash(seed, -1)
  let shown = 0
  FIELDS.forEach(({ family, name }, i) => {
    const value = valueOf(signals, family, name)
    if (value <= 0) return
    shown += 1
    exact.add(i * 4_194_304 + value)
  })
  if (shown < LEAST_EXACT) return undefined
  const grids: BehaviourCell[] = []
  GRIDS.forEach((names, grid) => {
    const values = names.map((name) => valueOf(signals, isOfPage(name) ? 'page' : 'input', name))
    if (values.includes(0)) return
    const cell = cellHash(seed, grid)
    // Each grid and number has an offset of its own, so that no value lies at the edge of a cell in all grids.
    values.forEach((value, i) => cell.add(Math.floor(Math.log(1 + value) / WIDTH + offsetOf(grid, i))))
    grids.push(cell.end())
  })
  return { exact: exact.end(), grids, isRich: shown >= RICH }
}

const isOfPage = (name: string): boolean => name === 'firstTouch' || name === 'filling'
const offsetOf = (grid: number, i: number): number => ((grid * 6 + i) * 0.618_034) % 1

function valueOf(signals: Signals, family: 'input' | 'page', name: string): number {
  return (signals[family] as Readonly<Record<string, number>> | undefined)?.[name] ?? 0
}

/** Mixes whole numbers into two hashes, under secret seeds. Each step is a bijection of the state (murmur3's finaliser). */
function cellHash(seed: Int32Array, grid: number): { add(value: number): void; end(): BehaviourCell } {
  let a = seed[0]! ^ Math.imul(grid + 2, seed[1]!)
  let b = seed[2]! ^ Math.imul(grid + 2, seed[3]!)
  return {
    add(value) {
      a = mix(Math.imul(a ^ value, 0x9e3779b1) + seed[4]!)
      b = mix(Math.imul(b ^ value, 0x85ebca6b) + seed[5]!)
    },
    end: () => [mix(a ^ seed[6]!) >>> 0, mix(b ^ seed[7]!) >>> 0],
  }
}

function mix(x: number): number {
  let h = x
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
