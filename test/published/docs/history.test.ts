/** docs/design/history.md: each rule stands there with what it takes. */
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { HISTORY_RULES } from '../../../src/domain/score/rules/history.ts'
import { MODEL } from '../../../src/domain/score/score-model.ts'

const FILE = new URL('../../../docs/design/history.md', import.meta.url)

test('each rule stands there with the most it takes', () => {
  const text = readFileSync(FILE, 'utf8')
  for (const { name, weight } of HISTORY_RULES)
    expect(text).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| ${-weight} \\|$`, 'm'))
  expect(text).toContain(`take ${-MODEL.bounds.history[0]} in log-odds at the most`)
})
