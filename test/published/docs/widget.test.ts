/** docs/widget/: what the pages list of the widget is what the widget has. test/browser/a11y/widget-page.test.ts runs its examples. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { LANGUAGES } from '../../../widget/src/texts.ts'

const words = readFileSync('docs/widget/appearance.md', 'utf8')
const functions = readFileSync('docs/widget/javascript.md', 'utf8')

test('the languages are those that the widget has words for', () => {
  const [, list = ''] = /^Languages: ([^.]+)\.$/m.exec(words) ?? []
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, language]) => language)
  expect(listed).toEqual(['en', ...LANGUAGES])
  expect(words).toContain(`The ${LANGUAGES.length} languages besides English`)
})

test('what it imports as a type is exported', () => {
  const [, names = ''] = /import type \{ (.+) \} from '@human-verification\/client\/widget'/.exec(functions) ?? []
  const types = readFileSync('packages/client/dist/esm/widget.d.ts', 'utf8')
  const missing = names.split(', ').filter((name) => !types.includes(`export interface ${name} {`))
  expect(missing).toEqual([])
})
