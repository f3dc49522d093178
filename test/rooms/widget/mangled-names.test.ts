/** The build gives short names to members of the widget's own objects. A name that others use as well would be lost to them. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { OPERATIONS } from '../../../src/wire.ts'
import { ENGLISH } from '../../../widget/src/texts.ts'
import { MANGLED } from '../../../widget/build-script.js'

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** Returns the names of all members that a JSON schema describes, however deep. */
function membersOf(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return []
  const { properties = {} } = schema as { readonly properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(membersOf)]
}

/** Returns the names of the members that a TypeScript text declares, each at the beginning of a line or after `readonly`. */
const membersIn = (text: string): string[] =>
  [...text.matchAll(/(?:^\s*|readonly\s+)([\w$]+)\??[:(]/gm)].map(([, name]) => name!)

/** Returns the names of the read-only members that a TypeScript text declares. */
const dataIn = (text: string): string[] =>
  [...text.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!)

/** Returns the names of the members of the objects that stand outermost in a text. */
const outermostIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}([\w$]+)[:(,]/gm)].map(([, name]) => name!)

/** Returns the names of the members of the classes in a TypeScript text that are declared within a function. */
const classMembersIn = (text: string): string[] =>
  [...text.matchAll(/^ {4}(?:(?:async|get|declare|readonly) )?(\w+)(?:: |\(.*\): .*\{$)/gm)].map(
    ([, name]) => name!,
  )

/** Returns the names of the members that native.html sends to an app. */
const sentIn = (text: string): string[] =>
  [...text.matchAll(/hand\(\{([^}]*)\}/g)].flatMap(([, members]) => members!.match(/\w+/g)!)

const USED_BY_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'the wire': membersOf(OPERATIONS),
  'the page, its attributes and its events': membersIn(read('widget/captcha.d.ts')),
  'pages of other services': outermostIn(read('widget/src/compat.ts')),
  'pages of Cap': classMembersIn(read('widget/src/compat-cap.ts')),
  'files of sentences': Object.keys(ENGLISH),
  'messages to workers': ['widget/src/units.ts', 'src/work/spell-solution.ts'].flatMap((file) =>
    dataIn(read(file)),
  ),
  'messages to apps': sentIn(read('widget/src/native.ts')),
}

test.each(Object.entries(USED_BY_OTHERS))('no mangled name is one of %s', (_of, names) => {
  expect(names).not.toEqual([])
  expect(MANGLED.filter((name) => names.includes(name))).toEqual([])
})

test('each mangled name is one of the widget’s own, and is listed once', () => {
  const files = readdirSync(new URL('../../../widget/src', import.meta.url), { recursive: true })
  const sources = files.map(String).filter((file) => file.endsWith('.ts'))
  const words = new Set(sources.flatMap((file) => read(`widget/src/${file}`).match(/[\w$]+/g)!))
  expect(MANGLED.filter((name) => !words.has(name))).toEqual([])
  expect(new Set(MANGLED).size).toBe(MANGLED.length)
})
