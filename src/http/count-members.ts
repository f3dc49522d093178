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
  for (let i = 0; i < text.length; i++) {
    switch (text.charAt(i)) {
      case '"':
        i = endOfString(text, i)
        break
      case '{':
      case '[':
        if (++depth > MOST_LEVELS) return undefined
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        if (++parts > MOST_PARTS) return undefined
        break
      case ':':
        if (++members > MOST_MEMBERS) return undefined
        if (depth === 1) outermost++
    }
  }
  return outermost
}

/** Where a string ends; the end of the text where it does not. A quote behind an odd number of backslashes is one of its own. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
