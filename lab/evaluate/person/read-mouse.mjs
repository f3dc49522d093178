/**
 * Reads a recording of a pointer (docs/design/evaluation.md, "Recorded hands") into reaches: one movement of the hand, from
 * rest to a click, as hands/reach.mjs draws one.
 */

/** A pause of the hand this long, in milliseconds, begins another movement. */
const REST_MS = 350
/** Pixels that a pointer may slip while the button is down; more is a drag. */
const SLIP = 4

/** The rows of the CSV that have a time and a place. */
const rowsOf = (text) =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [t, button, state, x, y] = line.split(',')
      return { t: Number(t), button, state: state?.trim(), x: Number(x), y: Number(y) }
    })
    .filter(({ t, x, y }) => Number.isFinite(t + x + y))

/** Reads the reaches of the CSV, in the order of the recording. */
export function readReaches(text) {
  const rows = rowsOf(text)
  const reaches = []
  let moves = []
  for (const [i, row] of rows.entries()) {
    if (row.state === 'Move') {
      if (moves.length > 0 && row.t - moves.at(-1).t > REST_MS) moves = []
      moves.push(row)
    } else if (row.state === 'Pressed' && row.button === 'Left') {
      const release = rows.slice(i + 1).find(({ state }) => state === 'Released')
      if (release) reaches.push(...reachOf(moves, row, release))
      moves = []
    } else moves = []
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
  if (distance < 60 || duration < 150 || duration > 2500 || settle > 1500 || held < 20 || held > 400 || slip > SLIP)
    return []
  return [{ points: moves.map(({ t, x, y }) => ({ t: t - first.t, x, y })), distance, duration, settle, held }]
}
