/** What is made of movements before they are counted: pure parts of widget/src/signals. */
import { describe, expect, test } from '@jest/globals'
import { watchEdits } from '../../../widget/src/signals/edits.ts'
import { watchTimes } from '../../../widget/src/signals/event-times.ts'
import { watchKeys } from '../../../widget/src/signals/keys.ts'
import { rounded, sample } from '../../../widget/src/signals/sample.ts'
import { isBalancedReach, type Point } from '../../../widget/src/signals/balanced-reach.ts'

/** A way from 0,0 in so many steps of so many milliseconds. */
type Place = (done: number, i: number) => readonly [x: number, y: number]
const way = (steps: number, stepMs: number, at: Place): Point[] =>
  Array.from({ length: steps + 1 }, (_, i) => {
    const [x, y] = at(i / steps, i)
    return { x: Math.round(x), y: Math.round(y), at: 1000 + i * stepMs }
  })
/** How a hand goes: slow, fast, slow (Flash and Hogan, 1985: minimum jerk). */
const hurried = (t: number): number => 10 * t ** 3 - 15 * t ** 4 + 6 * t ** 5
/** The same, and a second, smaller movement at the end (Meyer et al., 1988). */
const settled = (t: number): number =>
  t < 0.6 ? 0.92 * hurried(t / 0.6) : 0.92 + 0.08 * hurried((t - 0.6) / 0.4)

const line = (speed: (t: number) => number) => (t: number) =>
  [400 * speed(t), 300 * speed(t)] as const
const bow = (speed: (t: number) => number) => (t: number) =>
  [400 * speed(t), 60 * Math.sin(Math.PI * speed(t))] as const
const even = (t: number): number => t
const noisy = (t: number, i: number) =>
  [400 * t, 60 * Math.sin(Math.PI * t) + 2 * Math.cos(7 * i)] as const
test.each([
  { says: 'at one speed, on a line', path: way(20, 17, line(even)), is: true },
  { says: 'at one speed, in a bow', path: way(20, 17, bow(even)), is: true },
  { says: 'at the speed of a hand, on a line', path: way(20, 17, line(settled)), is: false },
  { says: 'as a hand', path: way(20, 17, bow(settled)), is: false },
  { says: 'eased in and out, in a bow, as programs do', path: way(20, 17, bow(hurried)), is: true },
  { says: 'at one speed, in a bow, with noise', path: way(24, 17, noisy), is: true },
  { says: 'from field to field of a form', path: way(20, 17, (t) => [0, 84 * t]), is: true },
  // A 1,000 Hz mouse reports every pixel, all steps alike; a frame's worth of them is not.
  { says: 'as a hand, from a fast mouse', path: way(400, 1, bow(settled)), is: false },
  { says: 'too short', path: way(20, 17, (t) => [45 * t, 0]), is: undefined },
  { says: 'with too few points', path: way(6, 17, (t) => [400 * t, 0]), is: undefined },
  { says: 'of nothing', path: [], is: undefined },
  { says: 'of one place', path: way(20, 17, () => [5, 5]), is: undefined },
  { says: 'in jumps with pauses between', path: way(20, 300, (t) => [400 * t, 0]), is: undefined },
])('a reach $says is balanced: $is', ({ path, is }) => {
  expect(isBalancedReach(path)).toBe(is)
})

describe('event times', () => {
  const share = (stamps: readonly number[]) => {
    const times = watchTimes()
    for (const timeStamp of stamps) times.see({ timeStamp } as Event)
    return times.summary()
  }
  const many = (at: (i: number) => number) => Array.from({ length: 40 }, (_, i) => at(i))

  test.each([
    {
      says: 'whole milliseconds and one fraction',
      stamps: many((i) => 17 * i + 0.4),
      samePhase: 100,
    },
    {
      says: 'a fraction at the edge of two tenths',
      stamps: many((i) => 17 * i + (i % 2 ? 0.3 : 0.2)),
      samePhase: 100,
    },
    {
      says: 'the edge of a millisecond',
      stamps: many((i) => 17 * i + (i % 2 ? 0.9 : 1)),
      samePhase: 100,
    },
    { says: 'a fine clock', stamps: many((i) => Math.round(173.7 * i) / 10), samePhase: 25 },
  ])('$says: $samePhase % share a phase', ({ stamps, samePhase }) => {
    expect(share(stamps)).toEqual({ timed: 40, samePhase })
  })

  test('several events of one moment count once, and none is no answer', () => {
    expect(share([5.1, 5.1, 5.1])).toEqual({ timed: 1, samePhase: 100 })
    expect(share([])).toEqual({})
  })
})

describe('the rhythm of keys', () => {
  const rhythm = (gaps: readonly number[]) => {
    const keys = watchKeys()
    let timeStamp = 1000
    const press = (type: string): void =>
      keys.see({ type, key: 'a', code: 'KeyA', timeStamp } as unknown as KeyboardEvent)
    for (const gap of [0, ...gaps]) {
      timeStamp += gap
      press('keydown')
      press('keyup')
    }
    return keys.summary()
  }
  test.each([
    { who: 'a typist', gaps: [120, 100, 240, 1500, 110], shows: { keyGap: 120, keyGapLong: 240 } },
    { who: 'half of whose gaps are pauses', gaps: [600, 1200, 600, 1800], shows: {} },
    { who: 'who chooses each key with a switch', gaps: [600, 1200, 1800, 1200, 600], shows: {} },
    { who: 'who dwells on each key', gaps: [1400, 1600, 900, 2100], shows: {} },
    { who: 'who presses one key', gaps: [], shows: {} },
  ])('of a person $who: $shows', ({ gaps, shows }) => {
    expect(rhythm(gaps)).toEqual({ keys: gaps.length + 1, ...shows })
  })
})

interface Edit {
  readonly data?: string
  readonly inputType?: string
  readonly isComposing?: boolean
  readonly isTrusted?: boolean
  readonly into?: string
}

/** What is reported of these events, each into the field of its `into`: its type, and a name if there are two. */
const edited = (events: readonly Edit[]) => {
  const edits = watchEdits()
  const fields = new Map<string, { type: string; value: string }>()
  for (const { into = 'text', data = '', ...event } of events) {
    const field = fields.get(into) ?? { type: into.split(' ')[0]!, value: '' }
    fields.set(into, field)
    field.value += data
    const how = { inputType: 'insertText', isComposing: false, isTrusted: true, ...event }
    edits.see({ data, ...how, composedPath: () => [field] } as unknown as InputEvent)
  }
  return edits.summary()
}
const set: Edit = { isTrusted: false, data: 'Ada Byron', inputType: '' }
test.each<{ what: string; events: readonly Edit[]; counts: object }>([
  { what: 'a whole text at once', events: [{ data: 'Ada Byron' }], counts: { insertions: 1 } },
  { what: 'a whole text again', events: [{ data: 'Ada ' }, { data: 'Byron' }], counts: {} },
  { what: 'a key', events: [{ data: 'A' }], counts: {} },
  { what: 'a paste', events: [{ data: 'Ada Byron', inputType: 'insertFromPaste' }], counts: {} },
  { what: 'a composition', events: [{ data: '王小明', isComposing: true }], counts: {} },
  { what: 'a value by script, twice', events: [set, set], counts: { scripted: 1 } },
  {
    what: 'two values by script',
    events: [set, { ...set, into: 'email' }],
    counts: { scripted: 2 },
  },
  {
    what: 'values by script and a box that is ticked',
    events: [set, { ...set, into: 'textarea' }, { into: 'checkbox' }],
    counts: { scripted: 2 },
  },
  {
    what: 'a value by script, and a key in another field',
    events: [set, { data: 'a', into: 'email' }],
    counts: {},
  },
  {
    what: 'a value by script, and a paste',
    events: [{ inputType: 'insertFromPaste', data: 'Ada' }, set],
    counts: {},
  },
  { what: 'the browser’s own suggestion', events: [{ data: 'Ada', inputType: '' }], counts: {} },
  {
    what: 'events by script of what is no text field',
    events: ['checkbox', 'radio', 'range', 'select-one', ''].map((into) => ({ ...set, into })),
    counts: {},
  },
])('edits by $what: $counts', ({ events, counts }) => expect(edited(events)).toEqual(counts))

describe('numbers', () => {
  test('only the median is reported', () => {
    const holds = sample(5)
    for (const ms of [90, 10, 50, 30, 70, 1000]) holds.add(ms)
    expect([0.25, 0.5, 0.75, 1].map((at) => holds.at(at))).toEqual([30, 50, 70, 90])
    expect(sample().at(0.5)).toBeUndefined()
  })

  test('a number is rounded to steps, up to a maximum', () => {
    expect([52, 53, -3, 1e9, NaN].map((value) => rounded(value, 5, 100))).toEqual([
      50, 55, 0, 100, 0,
    ])
  })
})
