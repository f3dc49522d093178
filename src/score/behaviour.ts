import type { BehaviourCell } from '../domain/history.ts'
import type { SIGNALS, Signals } from './signals.ts'

/**
 * Numbers of a hand, counted or timed: no flags, and nothing of the browser itself. By name: a signal that is added says
 * nothing here until somebody has seen what it does to a crowd (test/rooms/score/behaviour.test.ts).
 */
const FIELDS = {
  input: [
    'trusted',
    'untrusted',
    'moves',
    'coalesced',
    'moveGap',
    'presses',
    'flatPresses',
    'touches',
    'centred',
    'reaches',
    'pressHold',
    'timed',
    'samePhase',
    'keys',
    'overlaps',
    'keyGap',
    'keyGapLong',
  ] satisfies readonly (keyof (typeof SIGNALS)['input'])[],
  page: ['firstTouch', 'filling'] satisfies readonly (keyof (typeof SIGNALS)['page'])[],
}

/** How many numbers above `FEW` a visit needs to be compared: with fewer, two people agree by chance. */
const RICH = 8
const FEW = 3

/**
 * Returns the cell of a summary's behaviour: two visits share it if they agree in every number.
 *
 * @param seed at least eight secret numbers: nobody without them can aim at a cell.
 * @returns undefined when the visit shows too little to be anybody's.
 */
export function behaviourCell(signals: Signals, seed: Int32Array): BehaviourCell | undefined {
  let [a, b] = [seed[0]! ^ seed[1]!, seed[2]! ^ seed[3]!]
  let shown = 0
  const values = [
    ...FIELDS.input.map((name) => signals.input?.[name as never] ?? 0),
    ...FIELDS.page.map((name) => signals.page?.[name as never] ?? 0),
  ]
  for (const value of values) {
    if (value > FEW) shown += 1
    a = mix(Math.imul(a ^ value, 0x9e3779b1) + seed[4]!)
    b = mix(Math.imul(b ^ value, 0x85ebca6b) + seed[5]!)
  }
  return shown < RICH ? undefined : [mix(a ^ seed[6]!) >>> 0, mix(b ^ seed[7]!) >>> 0]
}

/** A bijection of 32 bits (murmur3's finaliser). */
function mix(x: number): number {
  let h = x
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
