/** Levels of objects and arrays: a body, its summary, a list of answers, one answer; and one to spare. */
const MOST_LEVELS = 5
/** Members and items of all levels together: the longest genuine body has some 500, of which 16 × 24 are answers of the proof. */
const MOST_PARTS = 1024
/** Members of all objects together: the longest genuine body has some 60, and another release may have more. */
const MOST_MEMBERS = 256

/**
 * Counts the members of the outermost object of a JSON text, repeated ones included, without parsing it. A text that is not
 * JSON gives some number or undefined, and the parser refuses it.
 *
 * @returns undefined when the text begins with no object, is deeper, or has more members or items, than any request.
 */
export function countMembers(text: string): number | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined
  let [outermost, members, parts, depth] = [0, 0, 0, 0]
  for (const [mark] of text.matchAll(MARKS)) {
    if (mark === '{' || mark === '[') depth++
    else if (mark === '}' || mark === ']') depth--
    else if (mark === ',') parts++
    else if (mark === ':') {
      members++
      if (depth === 1) outermost++
    }
    if (depth > MOST_LEVELS || parts > MOST_PARTS || members > MOST_MEMBERS) return undefined
  }
  return outermost
}

/** What structures a JSON text, and its strings, in which nothing does; one that is not closed goes on to the end. */
const MARKS = /[{}[\],:]|"(?:[^"\\]|\\[^])*"?/g
