import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The recorded people of a folder (lab/README.md, "Recorded hands"). Each run of a visitor gets the pointer of one
 * and the keys of another.
 */
export function recordings(folder) {
  const tables = (part, ending, separator) => {
    if (!existsSync(join(folder, part)))
      throw new Error(
        `no recordings in ${folder}: --traces DIR names a folder with mouse/*.csv and keys/*.tsv (lab/README.md, "Recorded hands")`,
      )
    const names = readdirSync(join(folder, part)).filter(
      (name) => name.endsWith(ending) && !name.includes('sentences'),
    )
    return names.sort().map((name) => {
      const [, ...lines] = readFileSync(join(folder, part, name), 'utf8')
        .trim()
        .split('\n')
      return lines.map((line) => line.split(separator))
    })
  }
  const mice = tables('mouse', '.csv', ',')
    .map((rows) => ({ reaches: reachesOf(rows) }))
    .filter(({ reaches }) => reaches.length >= 8)
  const typists = tables('keys', '.tsv', '\t')
    .map(sentencesOf)
    .filter((sentences) => sentences.length >= 3)
    .map((sentences) => ({ sentences, rhythm: rhythm(sentences) }))
  if (mice.length === 0 || typists.length === 0) throw new Error(`no usable recording in ${folder}`)
  /** Another person for each whole number, as long as there are any. */
  return (i) => ({ mouse: mice[i % mice.length], typist: typists[i % typists.length] })
}

/** A pause of the hand this long, in milliseconds, begins another movement. */
const REST_MS = 350
/** Pixels that a pointer may slip while the button is down; more is a drag. */
const SLIP = 4

/** The reaches of a pointer, in order: each one movement of the hand, from rest to a click, as hands/reach.mjs draws one. */
function reachesOf(rows) {
  const events = rows
    .map(([t, button, state, x, y]) => ({
      t: Number(t),
      button,
      state: state?.trim(),
      x: Number(x),
      y: Number(y),
    }))
    .filter(({ t, x, y }) => Number.isFinite(t + x + y))
  const reaches = []
  let moves = []
  for (const [i, event] of events.entries()) {
    if (event.state === 'Move') {
      if (moves.length > 0 && event.t - moves.at(-1).t > REST_MS) moves = []
      moves.push(event)
    } else {
      const isPress = event.state === 'Pressed' && event.button === 'Left'
      const release = isPress && events.slice(i + 1).find(({ state }) => state === 'Released')
      if (release) reaches.push(...reachOf(moves, event, release))
      moves = []
    }
  }
  return reaches
}

/** One reach, or none: where the hand hardly moved, dragged, or held on for long. */
function reachOf(moves, press, release) {
  const [first] = moves
  const last = moves.at(-1)
  if (moves.length < 8) return []
  const distance = Math.hypot(last.x - first.x, last.y - first.y)
  const duration = last.t - first.t
  const settle = press.t - last.t
  const held = release.t - press.t
  const slip = Math.hypot(release.x - press.x, release.y - press.y)
  if (
    distance < 60 ||
    duration < 150 ||
    duration > 2500 ||
    settle > 1500 ||
    held < 20 ||
    held > 400 ||
    slip > SLIP
  )
    return []
  return [
    {
      points: moves.map(({ t, x, y }) => ({ t: t - first.t, x, y })),
      distance,
      duration,
      settle,
      held,
    },
  ]
}

/**
 * JavaScript's `keyCode` of the keys we can play that are no letter and no digit: on a US keyboard, unshifted. Firefox has its
 * own for three of them.
 */
const NAMED = {
  8: 'BackSpace',
  16: 'Shift',
  32: ' ',
  188: ',',
  189: '-',
  190: '.',
  191: '/',
  222: "'",
}
const MARKS = { 59: ';', 61: '=', 173: '-', 186: ';', 187: '=' }
const keyOf = (code) =>
  NAMED[code] ??
  MARKS[code] ??
  (/^[A-Z0-9]$/.test(String.fromCharCode(code))
    ? String.fromCharCode(code).toLowerCase()
    : undefined)

/** The sentences of a keyboard, each a list of strokes (hands/typing.mjs); keys we cannot play are left out. */
function sentencesOf(rows) {
  const sentences = new Map()
  for (const [section, press, release, , code] of rows) {
    const key = keyOf(Number(code))
    const [at, until] = [Number(press), Number(release)]
    if (key === undefined || !(until > at)) continue
    if (!sentences.has(section)) sentences.set(section, [])
    sentences.get(section).push({ at, until, key })
  }
  return [...sentences.values()]
    .filter((strokes) => strokes.length >= 8)
    .map((strokes) => {
      strokes.sort((a, b) => a.at - b.at)
      const first = strokes[0].at
      return strokes.map(({ at, until, key }) => ({ at: at - first, until: until - first, key }))
    })
}

/**
 * How a person types, key after key: time to the next key and time held, of the letters only, in the order of the recording. In
 * milliseconds.
 */
function rhythm(sentences) {
  return sentences.flatMap((strokes) => {
    const letters = strokes.filter(({ key }) => key.length === 1)
    return letters
      .slice(1)
      .map(({ at, until }, i) => ({ gap: at - letters[i].at, held: until - at }))
  })
}
