import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { MODEL, RULES } from '../../../../src/domain/score/score-model.ts'
import { REASONS, SCORE_FAMILIES } from '../../../../src/domain/score/score-rule.ts'

/** The model as it was released under its number: an old token is explained, and a log decided again, by these figures. */
interface Released {
  readonly says: string
  readonly version: number
  readonly base: number
  readonly bounds: Readonly<Record<string, readonly [number, number]>>
  readonly families: readonly string[]
  readonly reasons: readonly string[]
  /** id, name, family, reason, weight, and the cap where there is one */
  readonly rules: readonly (readonly (number | string)[])[]
}
const released = JSON.parse(
  readFileSync(new URL('../../../vectors/score-model.json', import.meta.url), 'utf8'),
) as Released

test('whoever changes a weight, a bound, a name or a reason gives the model a new number, and the vectors too', () => {
  expect(MODEL).toEqual({ version: released.version, base: released.base, bounds: released.bounds })
  const rows = RULES.map(({ id, name, family, reason, weight, cap }) => [id, name, family, reason, weight, cap])
  expect(rows.map((row) => row.filter((each) => each !== undefined))).toEqual(released.rules)
})

test('families and reasons have the words that logs and customers know, in one order', () => {
  expect(SCORE_FAMILIES).toEqual(released.families)
  expect(REASONS).toEqual(released.reasons)
})

test('each rule belongs to a family that has bounds, and its number to the tens of that family', () => {
  const tens: Record<string, readonly (readonly [number, number])[]> = {
    automation: [
      [1, 9],
      [60, 79],
      [180, 189],
    ],
    input: [
      [10, 19],
      [80, 109],
    ],
    page: [[20, 29]],
    environment: [
      [30, 39],
      [110, 129],
    ],
    request: [
      [40, 49],
      [130, 149],
    ],
    work: [[50, 59]],
    history: [[150, 169]],
    network: [[170, 179]],
    step: [[190, 199]],
  }
  for (const { id, family } of RULES) expect(tens[family]!.some(([from, to]) => from <= id && id <= to)).toBe(true)
  expect(Object.keys(MODEL.bounds).sort()).toEqual(SCORE_FAMILIES.toSorted())
})
