/** Each page and heading that code, tests and pages cite exists, and nothing cites a page from outside the repository. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '../../..')
const APART = /package-lock\.json$|citations\.test\.ts$/
const TEXT = /\.(ts|mjs|js|json|md|yaml|yml|html|css|sh)$/

/** What is committed or about to be: no build, no installed package, nothing that a test left behind. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => TEXT.test(file) && !APART.test(file) && existsSync(join(root, file)))
  .sort()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** The heading's text without its markup. */
const plain = (heading: string): string =>
  heading.replaceAll(/`|\[(?=[^\]]+\]\()|\]\([^)]*\)/g, '').trim()
/** The anchor that GitHub gives a heading. */
const slug = (heading: string): string =>
  plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** The headings of a page, and their anchors. */
function readPage(file: string) {
  const prose = read(file).replaceAll(/^```[^]*?^```/gm, '')
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => plain(heading!))
  const slugs = headings.map((heading, i) => {
    const before = headings.slice(0, i).filter((other) => slug(other) === slug(heading)).length
    return before === 0 ? slug(heading) : `${slug(heading)}-${before}`
  })
  const ids = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)
  return { headings: new Set(headings), anchors: new Set([...slugs, ...ids]) }
}
const pages = new Map(
  files.filter((file) => file.endsWith('.md')).map((file) => [file, readPage(file)]),
)

/** Comments as running text, without blocks of code, so that a citation may go over the end of a line. */
const unwrapped = (text: string): string =>
  text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ')

interface Citation {
  readonly page: string
  readonly heading?: string | undefined
  readonly anchor?: string | undefined
}

/** `docs/x.md`, `docs/x.md#anchor`, `docs/x.md, "Heading"`. */
function citationsIn(text: string): readonly Citation[] {
  const found = text.matchAll(
    /(?<![\w./-])(docs\/[\w/-]+\.md)(?:#([\w-]+)|, (?:"([^"]+)"|'([^']+)'))?/g,
  )
  return [...found].map(([, page, anchor, double, single]) => ({
    page: page!,
    anchor,
    heading: double ?? single,
  }))
}

/** Relative links of a page. */
function linksIn(file: string): readonly Citation[] {
  if (!file.endsWith('.md')) return []
  const prose = read(file).replaceAll(/^```[^]*?^```/gm, '')
  const links = [...prose.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?(?: "[^"]*")?\)/g)]
  return links.map(([, path, anchor]) => ({
    page: path === '' ? file : join(dirname(file), path!),
    anchor,
  }))
}

function isRight({ page, heading, anchor }: Citation): boolean {
  if (!page.endsWith('.md')) return existsSync(join(root, page))
  const found = pages.get(page)
  if (!found) return false
  return (
    (heading === undefined || found.headings.has(heading)) &&
    (anchor === undefined || found.anchors.has(anchor))
  )
}

test.each(files)('%s cites pages, headings and anchors that exist', (file) => {
  const citations = [...citationsIn(unwrapped(read(file))), ...linksIn(file)]
  expect(citations.filter((each) => !isRight(each))).toEqual([])
})

const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
const names = new Set(all.split(/[\n/]/))
const ENDS = ['', '.ts', '.test.ts', '.mjs']
const isThere = (path: string): boolean => ENDS.some((end) => existsSync(join(root, path + end)))

/** Files and folders that the comments of a file name: by a path from the root, by a name alone (`limits.ts`), or as `(rules/)`. */
function namedInComments(file: string): string[] {
  const comments = (read(file).match(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*/gm) ?? []).join('\n')
  const path = /(?<![\w./@-])(?:src|test|lab|widget|packages|deploy|examples)\/[\w./-]*\w/g
  const name = /(?<![\w./-])(?:[a-z][\w-]*\.(?:ts|mjs|lua)\b|(?<=\()[a-z-]+(?=\/\)))/g
  return [
    ...(comments.match(path) ?? []).filter((each) => !isThere(each)),
    ...(comments.match(name) ?? []).filter((each) => !names.has(each)),
  ]
}

test.each(
  files.filter((file) =>
    /^(src|widget|packages|dashboard|test|lab|docs\/make)\/.*\.(ts|mjs)$/.test(file),
  ),
)('%s names files that exist in its comments', (file) => expect(namedInComments(file)).toEqual([]))

test('every test that SECURITY.md names is there', () => {
  const named = [...read('SECURITY.md').matchAll(/`(test\/[\w./-]+)` "([^"]+)"/g)]
  const missing = named.filter(
    ([, file, name]) => !existsSync(join(root, file!)) || !read(file!).includes(name!),
  )
  expect(missing.map(([said]) => said)).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})

test('nothing names a page, a folder or an issue from outside the repository', () => {
  const outside =
    /\b(?:SPEC|CONTRACT|THREATS|POW|RISK|STYLE|NEXT)\.md\b|\.\.\/shared\b|\b[Ii]ssue \d+/
  const named = files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) =>
        outside.test(line) ? [`${file}:${i + 1}: ${outside.exec(line)![0]}`] : [],
      ),
  )
  expect(named).toEqual([])
})
