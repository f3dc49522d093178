/** docs/widget/widget.md: what it lists of the widget is what the widget has. test/browser/a11y/widget-page.test.ts runs its examples. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { LANGUAGES } from '../../../widget/src/texts.ts'

const page = readFileSync('docs/widget/widget.md', 'utf8')

test('the languages are those that the widget has words for', () => {
  const [, list = ''] = /^Languages: ([^.]+)\.$/m.exec(page) ?? []
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, language]) => language)
  expect(listed).toEqual(['en', ...LANGUAGES])
  expect(page).toContain(`The ${LANGUAGES.length} languages besides English`)
})

test('what it imports as a type is exported', () => {
  const [, names = ''] = /import type \{ (.+) \} from '@human-verification\/kit\/widget'/.exec(page) ?? []
  const types = readFileSync('dist/captcha.d.ts', 'utf8')
  const missing = names.split(', ').filter((name) => !types.includes(`export interface ${name} {`))
  expect(missing).toEqual([])
})
