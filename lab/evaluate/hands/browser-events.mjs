/**
 * Simulates how Chromium tells a page of a device's inputs: moves once a frame, with those in between as coalesced events,
 * each as `pointerrawupdate` at once; a press or a key flushes the moves that wait; text comes as `input` after its key.
 *
 * @typedef {{ type: string, timeStamp: number, handledAt: number, x?: number, y?: number, id?: string, key?: string, code?: string, isShifted?: boolean, coalesced?: object[] }} BrowserEvent
 *   `timeStamp`: as the system stamped the input; `handledAt`: when the page's listener runs; milliseconds from the load
 * @param {import('./form-visit.mjs').Input[]} inputs in order of time
 * @param {import('./machine.mjs').Machine} machine
 * @returns {BrowserEvent[]} in the order in which listeners see them
 */
export function browserEvents(inputs, { refresh, lateFrames, fraction, draw }) {
  const events = []
  const frame = 1000 / refresh
  const offset = draw.between(0, frame)
  const stamp = (t) => (fraction === undefined ? Math.round(t * 10) / 10 : Math.round(t) + fraction)
  let waiting = []
  let frameAt = 0

  function flush(handledAt) {
    if (waiting.length === 0) return
    const { x, y, timeStamp } = waiting.at(-1)
    events.push(browserEvent('pointermove', { x, y }, timeStamp, handledAt, waiting))
    waiting = []
  }
  /** A frame's moves are handled at its start, or a frame later when the page is busy. */
  const nextFrame = (t) => {
    const start = Math.ceil((t - offset) / frame) * frame + offset
    return start + draw.between(0.1, 1.2) + (draw.chance(lateFrames) ? frame : 0)
  }

  for (const input of inputs) {
    const { t, kind } = input
    if (waiting.length > 0 && frameAt <= t) flush(frameAt)
    const timeStamp = stamp(t)
    if (kind === 'move') {
      if (waiting.length === 0) frameAt = nextFrame(t)
      const raw = browserEvent('pointerrawupdate', input, timeStamp, t)
      waiting.push(raw)
      events.push(raw)
      continue
    }
    const handledAt = Math.max(t + 0.2, events.at(-1)?.handledAt ?? 0)
    flush(handledAt)
    for (const type of typesOf(kind, input)) events.push(browserEvent(type, input, timeStamp, handledAt))
  }
  flush(frameAt)
  return events
}

/** One shape for all events: thousands are made for each visit. */
const browserEvent = (type, { x, y, id, key, code, isShifted }, timeStamp, handledAt, coalesced) => ({
  type,
  timeStamp,
  handledAt,
  x,
  y,
  id,
  key,
  code,
  isShifted,
  coalesced,
})

const TYPES = {
  down: ['pointerdown', 'mousedown'],
  up: ['pointerup', 'click'],
  focus: ['focusin'],
  keydown: ['keydown'],
  keyup: ['keyup'],
}

/** The events that one input makes, of those that the widget listens to. */
function typesOf(kind, { key, id }) {
  const types = TYPES[kind]
  const isOnBox = id === 'terms'
  if (kind === 'up' && isOnBox) return [...types, 'input']
  if (kind === 'keyup' && isOnBox && key === ' ') return [...types, 'click', 'input']
  return kind === 'keydown' && !isOnBox && (key.length === 1 || key === 'Backspace') ? [...types, 'input'] : types
}
