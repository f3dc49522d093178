import x11 from 'x11'

/** Keys that have a left one and a right one. */
const SIDED = new Set(['Shift', 'Control', 'Alt'])
/** Latin-1 characters are their own keysyms; other keys have a name. */
const symbolOf = (key) =>
  key.length === 1 ? key.codePointAt(0) : x11.keySyms[`XK_${key}${SIDED.has(key) ? '_L' : ''}`]?.code

/** Finds keys by what they type. `symbols` has the keysyms of each keycode, plain and with Shift. */
export function keyboard(symbols) {
  const found = new Map()
  for (const shift of [false, true])
    for (const [keycode, each] of symbols) {
      const symbol = each[Number(shift)]
      if (symbol && !found.has(symbol)) found.set(symbol, { keycode, shift })
    }
  return (key) => {
    const place = found.get(symbolOf(key))
    if (!place) throw new Error(`this keyboard cannot type ${JSON.stringify(key)}`)
    return place
  }
}
