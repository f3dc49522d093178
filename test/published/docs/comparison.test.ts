/** What README says of the comparison: from its result, and that there is none where nothing was published. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { comparisonLines, QUOTED } from '../../../docs/make/comparison.ts'
import { NAMES } from '../../../lab/compare/rows.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hv-comparison-'))
})
afterEach(() => rmSync(root, { recursive: true }))

interface Row {
  readonly name: string
  readonly standing: string
  readonly cells: readonly unknown[]
}
const publish = (rows: readonly Row[]) => {
  mkdirSync(join(root, 'lab/results'), { recursive: true })
  const contenders = [{ name: 'human-verification' }, { name: 'Other' }]
  const result = { date: '2026-11-29', contenders, rows }
  writeFileSync(join(root, 'lab/results/compare.json'), JSON.stringify(result))
}
const rows = Object.keys(QUOTED).map((name, i) => ({
  name,
  standing: i < 2 ? 'loses' : 'wins',
  cells: [{ value: i, text: `${i} of 10` }, i === 4 ? null : { value: 0, text: '0 of 10' }],
}))

test('README quotes five rows, and says how many of all are lost', () => {
  publish([...rows, { name: 'another', standing: 'loses', cells: [null, null] }])
  const lines = comparisonLines(root).split('\n')
  expect(lines[0]).toBe('| On 2026-11-29 | human-verification | Other |')
  expect(lines[2]).toBe('| People who pass | 0 of 10 | 0 of 10 |')
  expect(lines[6]).toMatch(/ \| 4 of 10 \| – \|$/)
  expect(lines.at(-1)).toMatch(/asks for 6 such rows; this service loses 3 of them/)
})

test('without a result README says that there is none', () => {
  expect(comparisonLines(root)).toMatch(/^No comparison .* has been published/)
})

test('a result without one of the rows is an error that names it', () => {
  publish(rows.slice(1))
  expect(() => comparisonLines(root)).toThrow('has no row "people who pass"')
})

test.each(Object.keys(QUOTED))('the comparison has a row "%s"', (name) => {
  expect(NAMES).toContain(name)
})
