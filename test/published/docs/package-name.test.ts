/** The package has one name, in a scope: nobody else can publish under a name that a page of ours tells people to import. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const ROOT = join(import.meta.dirname, '../../..')
const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string
  exports: Readonly<Record<string, unknown>>
}
/** `client`, `express` and the others that people import by name. */
const PATHS = Object.keys(exports)
  .map((path) => path.slice(2))
  .filter((path) => !path.endsWith('.json'))
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|[cm]?[jt]sx?|html|json)$/.test(file) && file !== 'CHANGELOG.md')
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

test('it is in a scope', () => {
  expect(name).toMatch(/^@[a-z0-9-]+\/[a-z0-9-]+$/)
})

test('every import of it, in pages, examples and sources, has this name', () => {
  const imported = new RegExp(
    `['"\`]([^'"\`\\s\\\\]*human-verification[^'"\`\\s\\\\]*)/(?:${PATHS.join('|')})['"\`]`,
    'g',
  )
  const found = files.flatMap((file) => [...textOf(file).matchAll(imported)].map((each) => `${file}: ${each[1]!}`))
  expect(found.length).toBeGreaterThan(25)
  expect(found.filter((each) => !each.endsWith(`: ${name}`))).toEqual([])
})

test('every example has it by this name, from this folder', () => {
  const manifests = files.filter((file) => /^examples\/[^/]+\/package\.json$/.test(file))
  const links = manifests.flatMap((file) =>
    Object.entries((JSON.parse(textOf(file)) as { dependencies?: Record<string, string> }).dependencies ?? {}).filter(
      ([, where]) => where.startsWith('file:'),
    ),
  )
  expect(links.length).toBeGreaterThan(3)
  expect(new Set(links.map(([each]) => each))).toEqual(new Set([name]))
})
