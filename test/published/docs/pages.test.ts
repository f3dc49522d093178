/** docs/design/scoring.md and docs/operate/privacy.md leave nothing out. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { RULES } from '../../../src/domain/score/score-model.ts'
import { SIGNALS } from '../../../src/domain/score/signals.ts'

test('every rule has a row, with evidence that is a sentence', () => {
  const page = readFileSync('docs/design/scoring.md', 'utf8')
  expect(RULES.filter(({ name }) => !page.includes(`| \`${name}\` |`)).map(({ name }) => name)).toEqual([])
  expect(RULES.filter(({ evidence }) => evidence.length < 10).map(({ name }) => name)).toEqual([])
})

test('every signal has a row', () => {
  const page = readFileSync('docs/operate/privacy.md', 'utf8')
  const all = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.keys(kinds).map((name) => `${family}.${name}`),
  )
  expect(all.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
