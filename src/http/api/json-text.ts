/** Levels of objects and arrays: a body, its summary, a list of answers, one answer; and one to spare. */
const MOST_LEVELS = 5
/** Members and items of all levels together: the longest genuine body has some 500, of which 16 × 24 are answers of the proof. */
const MOST_PARTS = 1024
/** Members of all objects together: the longest genuine body has some 60, and another release may have more. */
const MOST_MEMBERS = 256

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58

/**
 * Counts the members of the outermost object of a JSON text, repeated ones included, without parsing it. A text that is not
 * JSON gives some number or undefined, and the parser refuses it.
 *
 * @returns undefined when the text begins with no object, is deeper, or has more members or items, than any request.
 */
export function countMembers(text: string): number | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined
  let outermost = 0
  let members = 0
  let parts = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i)
        break
      case 123: // {
      case 91: // [
        if (++depth > MOST_LEVELS) return undefined
        break
      case 125: // }
      case 93: // ]
        depth--
        break
      case COMMA:
        if (++parts > MOST_PARTS) return undefined
        break
      case COLON:
        if (++members > MOST_MEMBERS) return undefined
        if (depth === 1) outermost++
    }
  }
  return outermost
}

/**
 * Finds the text of one member's value in the outermost object, as it was sent.
 *
 * @param text well-formed JSON whose members are all different.
 * @returns UTF-16 units between the colon and the comma or brace behind it, blanks included; undefined: no such member.
 */
export function textOfMember(text: string, name: string): string | undefined {
  let depth = 0
  let start: number | undefined
  let key = ''
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) {
      const end = endOfString(text, i)
      if (depth === 1 && start === undefined) key = text.slice(i, end + 1)
      i = end
    } else if (c === 123 || c === 91) depth++
    else if (depth === 1 && start !== undefined && (c === COMMA || c === 125)) return text.slice(start, i)
    else if (c === 125 || c === 93) depth--
    else if (c === COLON && depth === 1 && start === undefined && isName(key, name)) start = i + 1
  }
  return undefined
}

/** A name may be spelled with escapes. */
const isName = (spelled: string, name: string): boolean =>
  spelled === `"${name}"` || (spelled.includes('\\') && (JSON.parse(spelled) as unknown) === name)

/** Where a string ends; the end of the text where it does not. A quote behind an odd number of backslashes is one of its own. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}
