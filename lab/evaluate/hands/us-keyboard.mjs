/** Characters of the shifted keys of a US keyboard that are no letters, each with its plain one. */
const [SHIFTED, PLAIN] = ['!@#$%^&*()_+{}|:"<>?~', "1234567890-=[]\\;',./`"]
const WITH_SHIFT = new Map([...SHIFTED].map((character, i) => [character, PLAIN[i]]))
const NAMED = { '\b': 'BackSpace', '\t': 'Tab' }

/**
 * Finds the key of a US keyboard that types a character, and whether Shift has to be down. '\b' is
 * Backspace, '\t' is Tab.
 */
export function keyOf(character) {
  if (!/^[\b\t\x20-\x7e]$/.test(character))
    throw new RangeError(`this keyboard has no ${JSON.stringify(character)}`)
  const plain = WITH_SHIFT.get(character)
  if (plain !== undefined) return { key: plain, isShifted: true }
  const key = NAMED[character] ?? character.toLowerCase()
  return { key, isShifted: character !== character.toLowerCase() }
}
