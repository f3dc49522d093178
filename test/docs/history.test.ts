/** docs/history.md says what is kept; the table is the code's. `HISTORY_WRITE=1` writes it. */
import { expect, test } from '@jest/globals'
import { readFileSync, writeFileSync } from 'node:fs'
import { HISTORY_RULES } from '../../src/domain/rules/history.ts'
import { MODEL } from '../../src/domain/score-model.ts'
import { KEPT } from '../../src/history/kept.ts'

const FILE = new URL('../../docs/history.md', import.meta.url)
const table = [
  '| Of | What | Until | Why | Key |',
  '|---|---|---|---|---|',
  ...KEPT.map(({ of, key, what, until, why }) => `| ${of} | ${what} | ${until} | ${why} | \`${key}\` |`),
].join('\n')

test('the table of docs/history.md is what src/history/kept.ts says', () => {
  const text = readFileSync(FILE, 'utf8')
  const written = text.replace(/(-->\n)(?:KEPT_TABLE|\| Of[^]*?)(\n\n)/, (_all, before, after) => `${before}${table}${after}`)
  if (process.env['HISTORY_WRITE'] === '1') writeFileSync(FILE, written)
  expect(readFileSync(FILE, 'utf8')).toBe(written)
})

test('each rule stands there with the most it takes', () => {
  const text = readFileSync(FILE, 'utf8')
  for (const { name, weight } of HISTORY_RULES) expect(text).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| ${-weight} \\|$`, 'm'))
  expect(text).toContain(`take ${-MODEL.bounds.history[0]} in log-odds at the most`)
})
