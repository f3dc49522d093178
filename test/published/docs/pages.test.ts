/** Pages are short, their tables narrow, and docs/design/scoring.md and docs/operate/privacy.md leave nothing out. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { RULES } from '../../../src/domain/score/score-model.ts'
import { SIGNALS } from '../../../src/domain/score/signals.ts'

const pagesIn = (folder: string): string[] =>
  readdirSync(join('docs', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'config/README.md',
  'examples/verify/README.md',
  // docs/site has packages, which a test of test/browser installs, perhaps now, and no page.
  ...readdirSync('docs')
    .filter((name) => name !== 'site')
    .flatMap((name) => (name.endsWith('.md') ? [name] : pagesIn(name)))
    .map((file) => join('docs', file)),
]
const LONGEST_PAGE = 250
const WIDEST_ROW = 200
/** Characters that a reader sees: neither the target of a link nor an anchor. */
const seen = (row: string): string =>
  row.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/<a id="[^"]*"><\/a>/g, '')
const wide = (text: string): string[] =>
  text.split('\n').filter((line) => line.startsWith('|') && seen(line).length > WIDEST_ROW)

test.each(PAGES)('%s has at most 250 lines, and rows of at most 200 characters', (file) => {
  const text = readFileSync(file, 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_PAGE)
  expect(wide(text)).toEqual([])
})

test.each(PAGES)(
  '%s shows something to imitate within its first lines: code, a table, a quoted text, a link',
  (file) => {
    const first = readFileSync(file, 'utf8').split('\n').slice(0, 16).join('\n')
    expect(first).toMatch(/`|^\||^> |\]\(/m)
  },
)

test('a row is measured as it is read', () => {
  expect(wide(`| [a](${'b'.repeat(300)}) |`)).toEqual([])
  expect(wide(`| ${'a '.repeat(100)} |`)).toHaveLength(1)
})

test('every rule has a row, with evidence that is a sentence', () => {
  const page = readFileSync('docs/design/scoring.md', 'utf8')
  expect(RULES.filter(({ name }) => !page.includes(`- \`${name}\` **`)).map(({ name }) => name)).toEqual([])
  expect(RULES.filter(({ evidence }) => evidence.length < 10).map(({ name }) => name)).toEqual([])
})

test('every signal has a row', () => {
  const page = readFileSync('docs/operate/privacy.md', 'utf8')
  const all = Object.entries(SIGNALS).flatMap(([family, kinds]) =>
    Object.keys(kinds).map((name) => `${family}.${name}`),
  )
  expect(all.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
