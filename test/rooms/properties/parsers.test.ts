/** Whatever is written, a body's fields are read as they were written, or refused. What is made of them: test/fuzz. */
import { expect, test } from '@jest/globals'
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  oneof,
  string,
  tuple,
} from 'fast-check'
import type { Fault } from '../../../src/domain/codes.ts'
import { readFields } from '../../../src/http/fields.ts'

const NAMES = [
  'secret',
  'response',
  'sitekey',
  'signals',
  '__proto__',
  'constructor',
  'secret[]',
  '',
]
type Pairs = readonly (readonly [name: string, value: unknown])[]
/** JSON puts names that are numbers first. */
const sorted = (pairs: Pairs) =>
  pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value])

/** What is read of a body: its fields, or the codes of its refusal. */
async function readOf(type: string, text: string): Promise<unknown> {
  try {
    return sorted([...(await readFields(type, Buffer.from(text)))])
  } catch (error) {
    return (error as Fault).codes
  }
}
/** What should be: a repeated name is refused. */
const wanted = (written: Pairs): unknown =>
  new Set(written.map(([name]) => name)).size < written.length ? ['bad-request'] : sorted(written)

const text = string({ unit: 'grapheme' })
const json = tuple(
  oneof(constantFrom(...NAMES), string({ unit: 'binary' })),
  jsonValue({ maxDepth: 2 }),
)

test.each<{ type: string; pair: Arbitrary<Pairs[number]>; write: (pairs: Pairs) => string }>([
  {
    type: 'application/x-www-form-urlencoded',
    pair: tuple(text, text),
    write: (pairs) =>
      pairs.map((pair) => pair.map(String).map(encodeURIComponent).join('=')).join('&'),
  },
  {
    type: 'application/json',
    pair: json,
    write: (pairs) =>
      `{${pairs.map((pair) => pair.map((each) => JSON.stringify(each)).join(':')).join(',')}}`,
  },
])('$type is read as it was written, each name once', async ({ type, pair, write }) => {
  const isRead = async (written: Pairs) =>
    expect(await readOf(type, write(written))).toEqual(
      wanted(JSON.parse(JSON.stringify(written)) as Pairs),
    )
  await assert(asyncProperty(array(pair, { maxLength: 8 }), isRead), { numRuns: 500 })
})
