/** docs/scoring.md and docs/privacy.md say what the code's own tables say. `npm run docs:pages` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { RULES } from '../../src/domain/score-model.ts'
import { SIGNALS } from '../../src/domain/signals.ts'
import { privacyPage, scoringPage } from './pages.ts'

test.each([
  ['docs/scoring.md', scoringPage],
  ['docs/privacy.md', privacyPage],
])('%s is what the code says (npm run docs:pages writes it)', (file, page) => {
  if (process.env['DOCS_WRITE'] === '1') writeFileSync(file, page())
  expect(readFileSync(file, 'utf8')).toBe(page())
})

test('every rule has a row, with evidence that is a sentence', () => {
  const page = readFileSync('docs/scoring.md', 'utf8')
  expect(RULES.filter(({ name }) => !page.includes(`| \`${name}\` |`)).map(({ name }) => name)).toEqual([])
  expect(RULES.filter(({ evidence }) => evidence.length < 10).map(({ name }) => name)).toEqual([])
})

test('every signal has a row', () => {
  const page = readFileSync('docs/privacy.md', 'utf8')
  const all = Object.entries(SIGNALS).flatMap(([family, kinds]) => Object.keys(kinds).map((name) => `${family}.${name}`))
  expect(all.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
