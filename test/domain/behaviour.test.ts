import { describe, expect, test } from '@jest/globals'
import { behaviourOf } from '../../src/domain/behaviour.ts'
import { SIGNALS, type Signals } from '../../src/domain/signals.ts'

/** The same numbers each time: a test that a die decides teaches nothing. Mulberry32. */
function dice(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
/** About log-normal, as counts and times of people are. */
const around = (roll: () => number, middle: number, spread: number): number =>
  Math.round(middle * Math.exp(spread * (roll() + roll() + roll() - 1.5) * 2))
const tenths = (ms: number): number => Math.round(ms / 100) * 100

type Visitor = (roll: () => number) => Signals
const hand: Visitor = (roll) => {
  const [moves, keys] = [around(roll, 60, 0.6), around(roll, 35, 0.4)]
  const presses = 1 + Math.floor(4 * roll())
  return {
    input: {
      trusted: 2 * (moves + keys + presses),
      moves,
      coalesced: Math.round(moves * (0.67 + 0.24 * roll())),
      presses,
      keys,
      keyHold: Math.round(around(roll, 90, 0.2) / 5) * 5,
    },
    page: { visible: 1, firstTouch: tenths(around(roll, 2500, 0.6)), filling: tenths(around(roll, 12_000, 0.5)) },
  }
}
const autofill: Visitor = (roll) => ({
  input: { trusted: 5, presses: 1, autofills: 2 },
  page: { visible: 1, firstTouch: tenths(around(roll, 1500, 0.5)), filling: tenths(around(roll, 900, 0.5)) },
})
const keyboard: Visitor = (roll) => {
  const keys = around(roll, 40, 0.3)
  return {
    input: { trusted: 2 * keys, keys, keyHold: Math.round(around(roll, 90, 0.2) / 5) * 5 },
    page: { visible: 1, firstTouch: tenths(around(roll, 2500, 0.6)), filling: tenths(around(roll, 12_000, 0.5)) },
  }
}

function most(texts: readonly string[]): number {
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return Math.max(...times.values())
}

describe('a crowd of 500 that fills in the same form', () => {
  test.each([
    { with: 'mouse and keys', who: hand },
    { with: 'the keyboard only', who: keyboard },
    { with: 'autofill and one click', who: autofill },
  ])('with $with: never the same, and alike in no cell that holds 15 in 100', ({ who }) => {
    for (let seed = 1; seed <= 5; seed++) {
      const roll = dice(seed)
      const shown = Array.from({ length: 500 }, () => behaviourOf(who(roll))!)
      // The rule begins at 3 and 1 in 100: eight.
      expect(most(shown.map(({ exact }) => exact))).toBeLessThanOrEqual(8)
      for (const grid of [0, 1]) {
        const cells = shown.flatMap(({ alike }) => alike?.[grid] ?? [])
        expect(most(['', ...cells])).toBeLessThan(75)
      }
    }
  })
})

describe('a recording that is sent again', () => {
  test('as it is, is the same', () => {
    const roll = dice(1)
    const recorded = hand(roll)
    expect(behaviourOf(structuredClone(recorded))).toEqual(behaviourOf(recorded))
  })
  test('altered by a step of each value, is alike in one cell in four at least, nine times out of ten', () => {
    let caught = 0
    for (let seed = 1; seed <= 100; seed++) {
      const roll = dice(seed)
      const { input, page } = hand(roll)
      const step = (values: object, by: number): object =>
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, Math.max(0, value + by * (Math.floor(3 * roll()) - 1))]),
        )
      const sent = Array.from({ length: 40 }, () => {
        const { visible, ...times } = page!
        return behaviourOf({ input: step(input!, 1), page: { visible, ...step(times, 100) } } as Signals)!
      })
      const best = Math.max(...[0, 1].map((grid) => most(sent.map(({ alike }) => alike![grid]!))))
      if (best >= 10) caught++
    }
    expect(caught).toBeGreaterThanOrEqual(90)
  })
  test('with another browser’s flags and another time of work, is the same', () => {
    const recorded = hand(dice(1))
    const other = { ...recorded, environment: { cores: 4 }, work: { ms: 999 }, automation: { webdriver: 0 } }
    expect(behaviourOf(other)).toEqual(behaviourOf(recorded))
  })
})

test.each([
  ['nothing', {}],
  ['an empty family', { input: {} }],
  ['flags only', { page: { visible: 1, focused: 1 }, automation: { webdriver: 0 } }],
  ['two counts', { input: { trusted: 4, presses: 1 } }],
])('%s is nobody’s', (_what, signals) => {
  expect(behaviourOf(signals as Signals)).toBeUndefined()
})

describe('what is hashed', () => {
  const shown = { trusted: 8, moves: 24, coalesced: 12, presses: 1, keys: 56 }
  const cells = (text: string) => text.split(' ').map((cell) => Number(cell.split(':')[1]))

  test('is each number that a hand made, under its name; what is zero, or of the browser, is not', () => {
    const { exact } = behaviourOf({ input: { ...shown, touches: 0 }, page: { visible: 1, firstTouch: 1000 } })!
    expect(exact).toBe('trusted=8 moves=24 coalesced=12 presses=1 keys=56 firstTouch=1000')
    expect(behaviourOf({ input: { trusted: 1, moves: 2 }, automation: { artefacts: 3 } })).toBeUndefined()
  })
  test('is told by these names and no other: a signal that is added changes no text', () => {
    const said = (family: 'input' | 'page') => Object.keys(SIGNALS[family]).map((name) => [name, 1] as const)
    const all = { input: Object.fromEntries(said('input')), page: Object.fromEntries(said('page')) }
    const { exact } = behaviourOf(all as Signals)!
    expect(exact.replaceAll('=1', '')).toBe(
      'trusted untrusted moves coalesced moveGap rawRatio presses flatPresses touches jumps centred reaches straight ' +
        'even pressHold timed samePhase keys timedKeys overlaps bareCapitals unfocused pastes autofills wholeTexts ' +
        'keyHold keyHoldSpread keyGap keyGapSpread loneFocus firstTouch filling',
    )
  })
  test('on two grids: counts even up to 8, long times to a second, two cells for each doubling beyond', () => {
    const { alike } = behaviourOf({ input: shown, page: { firstTouch: 1000, filling: 3000 } })!
    expect(alike!.map(cells)).toEqual([
      [2, 4, 2, 0, 6, 2, 4],
      [2, 4, 3, 0, 6, 2, 4],
    ])
    expect(alike![0].split(' ').map((cell) => cell.split(':')[0])).toEqual(
      behaviourOf({ input: shown, page: { firstTouch: 1000, filling: 3000 } })!
        .exact.split(' ')
        .map((each) => each.split('=')[0]),
    )
  })
  test('is nobody’s below three numbers, and like nobody’s below six', () => {
    expect(behaviourOf({ input: { trusted: 8, moves: 24 } })).toBeUndefined()
    expect(behaviourOf({ input: { trusted: 8, moves: 24, presses: 1 } })).toMatchObject({ alike: undefined })
    expect(behaviourOf({ input: shown })!.alike).toBeUndefined()
    expect(behaviourOf({ input: shown, page: { filling: 900 } })!.alike).toHaveLength(2)
  })
  test('has flags of nobody, and per cents of somebody', () => {
    const few = { trusted: 8, moves: 24 }
    expect(behaviourOf({ input: few, page: { visible: 1, focused: 1 } })).toBeUndefined()
    expect(behaviourOf({ input: { ...few, samePhase: 90 } })!.exact).toMatch(/=90$/)
  })
})
