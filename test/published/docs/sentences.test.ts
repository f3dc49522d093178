/**
 * Plain English (docs/contribute/style.md, "Plain English"), as far as a machine can tell: in all pages, and in the texts of
 * commands, settings, errors, metrics and log lines; in comments room by room.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from '../../world/deploy/root.ts'

/** A sentence, or a cell of a table, that begins with a clause in place of a noun; questions may begin so. */
const CLAUSE_FIRST = /(?:^|(?<=[.:;!] ))(?:What|Who|Whoever|Whether|Of) (?![^.|]*\?)[^|]{6,}/
/** docs/contribute/style.md, "Plain English", rule 4. */
const OTHER_VERBS =
  /\b(?:takes? (?:over|out)|taken (?:over|out)|gets? an end|would flip|whoever|by itself|leaves? away|left away|mend(?:s|ed|ing)?|(?:token|challenge|time|life|key) is over)\b/i
/** Headings name the content. */
const RIDDLES = /^#+ (?:What it must be|What it promises|Who must|What it is)\b/
/** The widget's own words, quoted by the page; the page of style, which quotes what not to write. */
const QUOTED = ['Runs by itself, no puzzle']
const NOT_READ = new Set(['docs/contribute/style.md', 'CHANGELOG.md'])

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const below = (folder: string, end: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => join(folder, file))
    .sort()

interface Text {
  readonly line: number
  readonly text: string
}

/** Cells and running text of a page, without blocks of code. */
function prose(file: string): Text[] {
  let isCode = false
  return read(file)
    .split('\n')
    .flatMap((line, i) => {
      if (line.startsWith('```')) isCode = !isCode
      if (isCode || line.startsWith('<!--')) return []
      return line.split(' | ').map((text) => ({ line: i + 1, text: text.replace(/^[|\s]*(?:[-*>]|\d+\.)?\s*/, '') }))
    })
}

/** Literals of a program that are sentences, not names. */
const literals = (file: string): Text[] =>
  read(file)
    .split('\n')
    .flatMap((line, i) =>
      /^\s*(?:\*|\/\/|\/\*)/.test(line)
        ? []
        : [...line.matchAll(/'([^'\\]*(?:\\.[^'\\]*)*)'|`([^`]*)`/g)]
            .map(([, single, template]) => ({ line: i + 1, text: single ?? template ?? '' }))
            .filter(({ text }) => text.includes(' ')),
    )

/** A fixed question of the proof's tasks and the signals, with its answer behind it. */
const LABEL = 'Who could be hurt:'

/** Comments of a program, each paragraph and each tag on one line: a sentence may be broken anywhere. */
const comments = (file: string): Text[] => {
  const program = read(file)
  return [...program.matchAll(/\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)/gm)].flatMap((comment) => {
    const [, block, lines] = comment
    const line = program.slice(0, comment.index).split('\n').length
    return (block ?? lines ?? '')
      .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, '')
      .replaceAll(/@\w+(?: \w+)?/g, '\n\n')
      .split(/\n\s*\n/)
      .map((text) => ({ line, text: text.replaceAll(/\s+/g, ' ').replaceAll(LABEL, '').trim() }))
  })
}

/** The problems of a file, each with its line. */
const problems = (file: string, texts: readonly Text[]): string[] =>
  texts
    .filter(({ text }) => !QUOTED.some((quoted) => text.includes(quoted)))
    .flatMap(({ line, text }) => {
      const found = CLAUSE_FIRST.exec(text) ?? OTHER_VERBS.exec(text) ?? RIDDLES.exec(text)
      return found ? [`${file}:${line}: ${found[0].slice(0, 80)}`] : []
    })

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'config/README.md', ...below('docs', '.md')].filter(
  (file) => !NOT_READ.has(file),
)
test.each(pages)('%s is in plain English', (file) => {
  expect(problems(file, prose(file))).toEqual([])
})

/** Literals of programs: help, hints, errors, log lines, descriptions of settings and metrics. */
test.each(below('src', '.ts'))('the texts of %s are in plain English', (file) => {
  expect(problems(file, literals(file))).toEqual([])
})

/** Comments of the rooms that others read most, and of the widget. */
test.each([
  ...['ports', 'protocol', 'http', 'ledger', 'history', 'token', 'limits', 'domain'].map((room) => `src/${room}`),
  'widget/src',
])('the comments of %s are in plain English', (room) => {
  expect(below(room, '.ts').flatMap((file) => problems(file, comments(file)))).toEqual([])
})

test('finds a clause in place of a noun, another verb and a riddle, and no question', () => {
  const text = (each: string): Text => ({ line: 1, text: each })
  expect(
    problems('x', [text('Who is gone meanwhile waits.'), text('It takes over the file.'), text('## What it must be')]),
  ).toHaveLength(3)
  expect(problems('x', [text('What is kept about my visitors?'), text('Fix it.')])).toEqual([])
})
