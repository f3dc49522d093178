/** Characters of a text that are looked at: agents of browsers have under 300, and a header may have 15,000. */
const LOOKED_AT = 512

/**
 * Looks for a pattern in the first 512 characters of a text, ignoring case. Without a star the pattern is a part of the text;
 * with stars its parts follow each other, with anything between; the empty pattern is the empty text.
 *
 * No regular expression: each part is looked for once, from where the last one ended, and the leftmost place is always
 * the right one, so that no User-Agent can make this slow.
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
