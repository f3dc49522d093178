/**
 * Summaries that nobody's browser made. Each field is drawn from a plausible range, and fields that must agree are
 * drawn together: the source says which. All of it fits into the time that the visit claims.
 */
const from = (least, most) => Math.round(least + Math.random() * (most - least))
const step = (n, size) => Math.round(n / size) * size

const CLEAN = { webdriver: 0, headless: 0, artefacts: 0, console: 0 }
const DESKTOP = { engine: 1, placed: 1, desktop: 1, linuxEngine: 0 }
const PHONE = { engine: 1, placed: 0, desktop: 0, linuxEngine: 0 }

const workOf = ({ n }, workers) => ({ ms: step((n * from(11, 18.5)) / 1000 / workers + 30, 10) })

function typing(keys) {
  const keyGap = step(from(120, 240), 5)
  return {
    keys,
    overlaps: from(0, Math.floor(keys / 4)),
    keyGap,
    keyGapLong: step(keyGap * (2 + Math.random() * 1.5), 5),
  }
}

/** A Chrome on Windows with mouse and keyboard. `ms`: from the challenge to the submit, at least 2,000. */
export function mouseUser(work, ms) {
  const filling = Math.max(1000, ms - from(600, 1400))
  const keys = from(6, Math.max(7, Math.min(40, filling / 350)))
  const moveGap = from(16, 17)
  const moves = from(30, Math.max(40, Math.min(300, (filling * 0.35) / moveGap)))
  const presses = from(2, 4)
  const written = typing(keys)
  return {
    v: 1,
    automation: { ...CLEAN },
    input: {
      trusted: moves + presses * 2 + keys + from(0, 2),
      untrusted: 0,
      moves,
      coalesced: Math.round(moves * (0.3 + Math.random() * 0.4)),
      sameFrame: 0,
      moveGap,
      presses,
      flatPresses: 0,
      touches: 0,
      centred: 0,
      reaches: from(1, presses),
      balanced: 0,
      pressHold: step(from(60, 115), 5),
      pressHoldSpread: step(from(15, 60), 5),
      timed: moves + presses + keys,
      samePhase: from(20, 34),
      ...written,
    },
    page: { visible: 1, focused: 1 },
    environment: DESKTOP,
    work: workOf(work, 4),
  }
}

/** Somebody who shows little. */
const plain = (work, { input, environment, workers }) => ({
  v: 1,
  automation: { ...CLEAN },
  input: { untrusted: 0, ...input },
  page: { visible: 1, focused: 1 },
  environment,
  work: workOf(work, workers),
})

/** Tabs and types; no pointer at all. */
export function keyboardUser(work) {
  const keys = from(12, 40)
  const input = { trusted: keys + from(2, 6), ...typing(keys) }
  return plain(work, { input, environment: DESKTOP, workers: 4 })
}

/** Taps and types on a phone: a soft keyboard shows no keys of its own. */
export function touchUser(work) {
  const presses = from(3, 6)
  const input = { trusted: presses * 3, presses, touches: presses, moves: from(0, 4) }
  return plain(work, { input, environment: PHONE, workers: 2 })
}

/** Taps one button of a form that asks for nothing else. */
export const oneTap = (work) =>
  plain(work, {
    input: { trusted: 2, presses: 1, touches: 1 },
    environment: PHONE,
    workers: 2,
  })

/** Steps that the widget rounds to; any other number is whole. */
const ROUNDED = /^(?:keyGap|pressHold)/

/** Returns the step to which the widget rounds a number of a summary. */
const roundedTo = (name) => (ROUNDED.test(name) ? 5 : 1)

/**
 * Changes the counts and times of a recorded summary at random, within what its rounding and its sums allow. `noise`: the most
 * that a number changes, as a share.
 */
export function replayed(recording, noise) {
  if (noise === 0) return recording
  const shaken = (name, value) => {
    const size = roundedTo(name)
    const changed = value * (1 + (Math.random() * 2 - 1) * noise)
    return value < 4 ? value : Math.max(size, step(changed, size))
  }
  const family = (members) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, shaken(name, value)]))
  const input = family(recording.input)
  const events = input.moves + input.presses + input.keys
  return {
    ...recording,
    input: {
      ...input,
      coalesced: Math.min(input.coalesced, input.moves),
      overlaps: Math.min(input.overlaps, input.keys),
      reaches: Math.min(input.reaches, input.presses),
      trusted: Math.max(input.trusted, events),
    },
    page: family(recording.page),
  }
}
