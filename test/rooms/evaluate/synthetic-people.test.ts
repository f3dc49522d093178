/** Synthetic people: held against the figures of recorded ones, and told apart by their seed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { fitTable } from './fit.mjs'
import { handOf } from '../../../lab/evaluate/hands/hand.mjs'
import { RECORDED } from './recorded-figures.mjs'
import type { Stroke } from '../../../lab/evaluate/hands/typing.mjs'

/** What a program of this folder prints: thousands of movements are drawn ten times as fast as inside of Jest. */
const printed = (program: string, ...args: string[]): string =>
  execFileSync(process.execPath, [fileURLToPath(new URL(`./${program}`, import.meta.url)), ...args], {
    encoding: 'utf8',
  })

const FROM = { x: 100, y: 100 }
const TO = { x: 620, y: 340 }

describe('the figures of synthetic people', () => {
  let synthetic: typeof RECORDED
  beforeAll(() => {
    synthetic = (JSON.parse(printed('fit.mjs', '--json')) as { synthetic: typeof RECORDED }).synthetic
  })

  /** How far a centile may be from the recorded one: a share of it, or so much where that is more. */
  test.each([
    { figure: 'distance', share: 0.08, least: 0 },
    { figure: 'duration', share: 0.08, least: 0 },
    { figure: 'settle', share: 0.08, least: 4 },
    { figure: 'held', share: 0.08, least: 0 },
    { figure: 'detour', share: 0.12, least: 0 },
    { figure: 'unevenness', share: 0.1, least: 0 },
    { figure: 'centre', share: 0.1, least: 0.03 },
    { figure: 'peaks', share: 0, least: 1 },
    { figure: 'rests', share: 0, least: 1 },
    { figure: 'keyHeld', share: 0.1, least: 0 },
    { figure: 'keyGap', share: 0.13, least: 0 },
    { figure: 'keyHeldSpread', share: 0.15, least: 0 },
    // The steadiest third of the people is drawn less steady, the most uneven tenth less uneven.
    { figure: 'keyGapSpread', share: 0.3, least: 0 },
    { figure: 'overlaps', share: 0.15, least: 0.03 },
    { figure: 'backspaces', share: 0.15, least: 0.04 },
  ] as const)('$figure: each centile is near the recorded one', ({ figure, share, least }) => {
    for (const [i, recorded] of RECORDED[figure].entries())
      expect(Math.abs(synthetic[figure][i]! - recorded)).toBeLessThanOrEqual(Math.max(least, share * recorded))
  })

  test('are those of the page', () => {
    const cells = (text: string): string[] => text.split(/[|/\n]/).map((cell) => cell.trim())
    const page = readFileSync(new URL('../../../docs/design/risk.md', import.meta.url), 'utf8')
    const table = /\| Figure \| Recorded[^]*?(?=\n\n)/.exec(page)?.[0] ?? ''
    const measured = cells(fitTable(RECORDED, synthetic))
    expect(cells(table)).toHaveLength(measured.length)
    // Other releases of Node.js may round a sine otherwise, and then draw another path.
    for (const [i, cell] of cells(table).entries()) {
      if (!/\d/.test(cell) || Number.isNaN(Number(cell))) continue
      expect(Math.abs(Number(cell) - Number(measured[i]))).toBeLessThanOrEqual(Math.max(0.02, 0.02 * Number(cell)))
    }
  })

  test('no personal median leaves the range that was recorded by more than a fifth', () => {
    for (let i = 0; i < 200; i++) {
      const { typing, pointer } = handOf(`range ${i}`).traits
      expect(typing.held).toBeGreaterThan(58 * 0.8)
      expect(typing.held).toBeLessThan(152 * 1.2)
      expect(typing.gap).toBeGreaterThan(82 * 0.8)
      expect(typing.gap).toBeLessThan(456 * 1.2)
      expect([1, 2, 4, 8]).toContain(pointer.every)
    }
  })
})

describe('a synthetic hand', () => {
  const drawn = (seed: string): unknown => {
    const hand = handOf(seed)
    return [hand.reach(FROM, TO), hand.type('Grace.Hart@example.org'), hand.sentence(), hand.press()]
  }

  test('is the same for the same seed, to the last digit, and another for another', () => {
    expect(JSON.stringify(drawn('one'))).toBe(JSON.stringify(drawn('one')))
    expect(JSON.stringify(drawn('one'))).not.toBe(JSON.stringify(drawn('two')))
  })

  test('has the same traits on another visit, and other movements', () => {
    const [monday, tuesday] = [handOf('one', 1), handOf('one', 2)]
    expect(monday.traits).toEqual(tuesday.traits)
    expect(monday.reach(FROM, TO)).not.toEqual(tuesday.reach(FROM, TO))
  })

  test.each([1, 2, 4, 8])(
    'reaches from place to place in whole pixels with a mouse of one report in %i ms',
    (every) => {
      for (let i = 0; i < 40; i++) {
        const { points } = handOf(i).reach(FROM, TO, { every, width: 30 })
        expect(points[0]).toMatchObject({ t: 0, ...FROM })
        expect(points.at(-1)).toMatchObject(TO)
        expect(points.every(({ x, y }) => Number.isInteger(x) && Number.isInteger(y))).toBe(true)
        const gaps = points.slice(1).map(({ t }, j) => t - points[j]!.t)
        // The first report says that the pointer has moved since the one before.
        expect(Math.min(...gaps.slice(1))).toBeGreaterThan(every * 0.3)
      }
    },
  )

  test('types the text it was given, whatever mistakes it makes on the way', () => {
    const text = 'Anna Lee, "why?" 3+4 a_b@mail.example'
    let mistakes = 0
    for (let i = 0; i < 60; i++) {
      const strokes = handOf(i).type(text)
      mistakes += strokes.filter(({ key }) => key === 'BackSpace').length
      expect(readBack(strokes)).toBe(text)
    }
    expect(mistakes).toBeGreaterThan(20)
  })
})

/** The text that a page has after these strokes, by its key events alone. */
function readBack(strokes: readonly Stroke[]): string {
  const shifts = strokes.filter(({ key }) => key === 'Shift')
  let text = ''
  for (const { at, key, character } of strokes) {
    if (key === 'Shift') continue
    if (key === 'BackSpace') text = text.slice(0, -1)
    else text += character!
    const isShifted = shifts.some((shift) => shift.at <= at && at < shift.until)
    expect(isShifted).toBe(key !== 'BackSpace' && key !== character)
  }
  return text
}
