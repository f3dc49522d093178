/** X keysyms of the keys that have no character: X11/keysymdef.h. */
const NAMED = {
  BackSpace: 0xff08,
  Tab: 0xff09,
  Return: 0xff0d,
  Escape: 0xff1b,
  Left: 0xff51,
  Up: 0xff52,
  Right: 0xff53,
  Down: 0xff54,
  F5: 0xffc2,
  Shift: 0xffe1,
  Control: 0xffe3,
  Alt: 0xffe9,
}

/**
 * Finds keys by what they type. `symbols` has the keysyms of each keycode, plain and with Shift.
 */
export function keyboard(symbols) {
  const found = new Map()
  for (const shift of [false, true])
    for (const [keycode, each] of symbols) {
      const symbol = each[Number(shift)]
      if (symbol && !found.has(symbol)) found.set(symbol, { keycode, shift })
    }
  return (key) => {
    // Latin-1 characters are their own keysyms.
    const place = found.get(NAMED[key] ?? key.codePointAt(0))
    if (!place) throw new Error(`this keyboard cannot type ${JSON.stringify(key)}`)
    return place
  }
}
