/**
 * Reads a recording of a keyboard (docs/design/evaluation.md, "Recorded hands").
 *
 * @typedef {{ at: number, until: number, key: string }} Stroke milliseconds from the first key; `key` as keyboard.mjs names it
 */

/** JavaScript's `keyCode` of the keys we can play that are no letter and no digit: on a US keyboard, unshifted. */
const NAMED = { 8: 'BackSpace', 16: 'Shift', 32: ' ', 188: ',', 189: '-', 190: '.', 191: '/', 222: "'" }
/** Firefox has its own for these three. */
const MARKS = { 59: ';', 61: '=', 173: '-', 186: ';', 187: '=' }
const keyOf = (code) =>
  NAMED[code] ??
  MARKS[code] ??
  (/^[A-Z0-9]$/.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase() : undefined)

/** Reads the TSV: one list for each sentence; keys we cannot play are left out. */
export function readSentences(text) {
  const sentences = new Map()
  for (const line of text.trim().split('\n').slice(1)) {
    const [section, press, release, , code] = line.split('\t')
    const key = keyOf(Number(code))
    const [at, until] = [Number(press), Number(release)]
    if (key === undefined || !(until > at)) continue
    if (!sentences.has(section)) sentences.set(section, [])
    sentences.get(section).push({ at, until, key })
  }
  return [...sentences.values()]
    .map((strokes) => {
      strokes.sort((a, b) => a.at - b.at)
      const first = strokes[0].at
      return strokes.map(({ at, until, key }) => ({ at: at - first, until: until - first, key }))
    })
    .filter((strokes) => strokes.length >= 8)
}

/**
 * How a person types, key after key: time to the next key and time held, of the letters only, in the order of the recording. In
 * milliseconds.
 */
export function rhythm(sentences) {
  return sentences.flatMap((strokes) => {
    const letters = strokes.filter(({ key }) => key.length === 1)
    return letters.slice(1).map(({ at, until }, i) => ({ gap: at - letters[i].at, held: until - at }))
  })
}
