import { Fault } from '../domain/codes.ts'
import { MOST_FIELDS } from './form-fields.ts'
import { parseQuietly } from './parse-quietly.ts'

/** Brackets, colons and commas of a text: the longest genuine body has some 570, of which 417 are of 16 × 24 answers of the proof. */
const MOST_MARKS = 768

/**
 * Counts the members of the outermost object of a JSON text, repeated ones included, without parsing it. A text that is not
 * JSON gives some number or undefined, and the parser refuses it.
 *
 * @returns undefined when the text begins with no object, or is deeper or has more members or items than any request.
 */
export function countMembers(text: string): number | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined
  let outermost = 0
  let marks = 0
  let depth = 0
  // `matchAll` would make an object for each match, and a visit's summary has some 120.
  for (MARKS.lastIndex = 0; MARKS.test(text);) {
    const mark = text[MARKS.lastIndex - 1]
    if (mark === '"') continue
    if (++marks > MOST_MARKS) return undefined
    if (mark === '{' || mark === '[') depth++
    else if (mark === '}' || mark === ']') depth--
    else if (mark === ':' && depth === 1) outermost++
  }
  return outermost
}

/** Matches what structures a JSON text, and its strings, in which nothing does; one that is not closed goes on to the end. */
const MARKS = /[{}[\],:]|"(?:[^"\\]|\\[^])*"?/g

/**
 * Parses a JSON object. Marks and members are counted on the text first: parsing what is refused anyway costs many times as much
 * (docs/design/threats.md#t43).
 */
export function jsonFields(text: string): ReadonlyMap<string, unknown> {
  const members = countMembers(text)
  if (members === undefined || members > MOST_FIELDS) throw Fault.of('bad-request')
  const fields = new Map(Object.entries(parseQuietly(text, JSON.parse) as object))
  // JSON.parse lets the last of two equal members win, and another reader may take the first.
  if (members !== fields.size) throw Fault.of('bad-request')
  return fields
}
