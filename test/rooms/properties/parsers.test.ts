/** Whatever is written, a body's fields are read as they were written, or refused. What is made of them: test/fuzz. */
import { expect, test } from '@jest/globals'
import { array, assert, constantFrom, jsonValue, oneof, property, string, tuple } from 'fast-check'
import type { Fault } from '../../../src/domain/codes.ts'
import { readFields } from '../../../src/http/body.ts'

const NAMES = ['secret', 'response', 'sitekey', 'signals', '__proto__', 'constructor', 'secret[]', '']
type Pairs = readonly (readonly [name: string, value: unknown])[]
/** JSON puts names that are numbers first. */
const sorted = (pairs: Pairs) => pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value])

/** What is read of a body: its fields, or the codes of its refusal. */
function readOf(type: string, text: string): unknown {
  try {
    return sorted([...readFields(type, Buffer.from(text))])
  } catch (error) {
    return (error as Fault).codes
  }
}
/** What should be: a repeated name is refused. */
const wanted = (written: Pairs): unknown =>
  new Set(written.map(([name]) => name)).size < written.length ? ['bad-request'] : sorted(written)

test('a form is read as it was written, each name once', () => {
  const pairs = array(tuple(string({ unit: 'grapheme' }), string({ unit: 'grapheme' })), { maxLength: 8 })
  assert(
    property(pairs, (written) => {
      const text = written.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
      expect(readOf('application/x-www-form-urlencoded', text)).toEqual(wanted(written))
    }),
    { numRuns: 500 },
  )
})

test('a JSON object is read as it was written, each name once', () => {
  const name = oneof(constantFrom(...NAMES), string({ unit: 'binary' }))
  assert(
    property(array(tuple(name, jsonValue({ maxDepth: 2 })), { maxLength: 6 }), (written) => {
      const text = `{${written.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
      const through = written.map(([key, value]) => [key, JSON.parse(JSON.stringify(value)) as unknown] as const)
      expect(readOf('application/json', text)).toEqual(wanted(through))
    }),
    { numRuns: 500 },
  )
})
