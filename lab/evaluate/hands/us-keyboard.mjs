/** Characters of the shifted keys of a US keyboard that are no letters, each with its plain one. */
const [SHIFTED, PLAIN] = ['!@#$%^&*()_+{}|:"<>?~', "1234567890-=[]\\;',./`"]
const WITH_SHIFT = new Map([...SHIFTED].map((character, i) => [character, PLAIN[i]]))

/**
 * Finds the key of a US keyboard that types a character, and whether Shift has to be down. '\b' is
 * Backspace.
 */
export function keyOf(character) {
  if (!/^[\b\x20-\x7e]$/.test(character)) throw new RangeError(`this keyboard has no ${JSON.stringify(character)}`)
  if (character === '\b') return { key: 'BackSpace', isShifted: false }
  const plain = WITH_SHIFT.get(character)
  if (plain !== undefined) return { key: plain, isShifted: true }
  return { key: character.toLowerCase(), isShifted: character !== character.toLowerCase() }
}
