import { Fault } from '../domain/codes.ts'
import { MOST_FIELDS } from './form-fields.ts'
import { parseQuietly } from './parse-quietly.ts'

/**
 * Structural characters of a text (RFC 8259, section 2: brackets, colons and commas). The longest genuine body has some 570, of
 * which 417 are of 16 × 24 answers of the proof.
 */
const MOST_STRUCTURAL = 768

/**
 * Counts the members of the outermost object of a JSON text, repeated ones included, without parsing it. A text that is not
 * JSON gives some number or undefined, and the parser refuses it.
 *
 * @returns undefined when the text begins with no object, or is deeper or has more members or items than any request.
 */
export function countMembers(text: string): number | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined
  let outermost = 0
  let structural = 0
  let depth = 0
  // `matchAll` would make an object for each match, and a visit's summary has some 120.
  for (STRUCTURAL_OR_STRING.lastIndex = 0; STRUCTURAL_OR_STRING.test(text);) {
    const last = text[STRUCTURAL_OR_STRING.lastIndex - 1]
    if (last === '"') continue
    structural++
    if (structural > MOST_STRUCTURAL) return undefined
    if (last === '{' || last === '[') depth++
    else if (last === '}' || last === ']') depth--
    else if (last === ':' && depth === 1) outermost++
  }
  return outermost
}

/** Matches a structural character, or a whole string, in which none counts; a string that is not closed goes on to the end. */
const STRUCTURAL_OR_STRING = /[{}[\],:]|"(?:[^"\\]|\\[^])*"?/g

/**
 * Parses a JSON object. Structural characters and members are counted on the text first: parsing what is refused anyway costs many times as much
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
