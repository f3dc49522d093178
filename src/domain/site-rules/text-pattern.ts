/** Characters of a text that are searched: a browser's User-Agent has under 300, and a header may have 15,000. */
const LOOKED_AT = 512

/**
 * Searches the first 512 characters of a text for a pattern, ignoring case. A star matches anything; a pattern without one may be
 * anywhere in the text; the empty pattern matches the empty text.
 *
 * This is not a regular expression: each part is searched once, after the previous one, and the leftmost match is always
 * right, so no User-Agent can make it slow.
 */
export function textPattern(pattern: string): (text: string) => boolean {
  const parts = pattern
    .toLowerCase()
    .split('*')
    .filter((part) => part !== '')
  if (pattern === '') return (text) => text === ''
  return (text) => {
    const lower = text.slice(0, LOOKED_AT).toLowerCase()
    let from = 0
    for (const part of parts) {
      const at = lower.indexOf(part, from)
      if (at === -1) return false
      from = at + part.length
    }
    return true
  }
}
