import { somebody } from '../person/who.mjs'
import { transitions } from '../person/transitions.mjs'
import { keyStroke } from './key-stroke.mjs'

/** An ordinary sign-up form in a window of 1280 by 800: boxes in CSS pixels, in the order of Tab. */
export const SIGN_UP = [
  { id: 'name', kind: 'text', left: 368, top: 152, width: 544, height: 42 },
  { id: 'email', kind: 'text', left: 368, top: 238, width: 544, height: 42 },
  { id: 'comment', kind: 'text', left: 368, top: 324, width: 544, height: 90 },
  { id: 'terms', kind: 'box', left: 368, top: 436, width: 13, height: 13 },
  { id: 'send', kind: 'button', left: 368, top: 560, width: 544, height: 44 },
]

/**
 * Draws a short visit: somebody looks at the page, fills in the fields, ticks the box and presses the button.
 *
 * @typedef {{ t: number, kind: 'move' | 'down' | 'up', x: number, y: number, id?: string }
 *   | { t: number, kind: 'keydown' | 'keyup', key: string, code: string, isShifted: boolean, id?: string }
 *   | { t: number, kind: 'focus', id: string }} Input `t`: milliseconds from the load of the page; `id`: the part
 *   under the pointer, or with the focus
 * @param {ReturnType<import('./hand.mjs').handOf>} hand
 * @param {{ dice: ReturnType<import('../person/dice.mjs').dice>, form?: typeof SIGN_UP, manner?: 'mouse' | 'tab' | 'keyboard' }} at
 *   `dice`: who signs up; `manner`: mouse to each field, or to the first and Tab from there, or no mouse at all; drawn
 *   without it
 * @returns {{ manner: string, inputs: Input[], sentAt: number }} inputs in order of time; `sentAt`: when the form is sent
 */
export function formVisit(hand, { dice, form = SIGN_UP, manner = mannerOf(hand) }) {
  const who = somebody(dice)
  const visit = visitOf(hand)
  visit.wait(hand.look(1900))
  if (manner !== 'keyboard' && hand.chance(0.4)) visit.wander()
  for (const [i, part] of form.entries()) {
    const byMouse = manner === 'mouse' || (manner === 'tab' && (i === 0 || part.kind !== 'text'))
    if (byMouse) visit.press(part)
    else visit.tabTo(part)
    if (part.kind === 'text') {
      visit.wait(hand.look(byMouse ? 480 : 250))
      visit.type(part.id === 'comment' ? hand.sentence() : hand.type(who[part.id] ?? who.comment), part.id)
      visit.wait(hand.look(550))
    } else if (!byMouse) visit.tap(part.kind === 'button' ? 'Enter' : ' ', part.id)
    if (part.kind === 'box') visit.wait(hand.look(350))
  }
  return { manner, ...visit.result() }
}

const mannerOf = (hand) => (hand.chance(0.62) ? 'mouse' : hand.chance(0.8) ? 'tab' : 'keyboard')

function visitOf(hand) {
  const inputs = []
  let now = 0
  let pointer = { x: 200 + 900 * hand.aim().x + 400, y: 300 + 300 * hand.aim().y }
  const play = (points) => {
    for (const { t, x, y } of points.slice(1)) inputs.push({ t: now + t, kind: 'move', x, y })
    now += points.at(-1).t
    pointer = points.at(-1)
  }
  const tap = (key, id) => {
    const stroke = keyStroke(key)
    inputs.push({ t: now, kind: 'keydown', ...stroke, id })
    inputs.push({ t: (now += hand.press()), kind: 'keyup', ...stroke, id })
  }
  return {
    wait: (ms) => void (now += ms),
    tap,
    /** Moves without an aim, as people do while they read. */
    wander() {
      const to = { x: Math.round(pointer.x + 400 * hand.aim().x), y: Math.round(pointer.y + 300 * hand.aim().y) }
      play(hand.reach(pointer, to, { width: 150 }).points)
      now += hand.look(800)
    },
    press({ id, left, top, width, height, kind }) {
      const aim = hand.aim()
      const to = { x: Math.round(left + width * (0.5 + aim.x)), y: Math.round(top + height * (0.5 + aim.y)) }
      const { points, settle, held } = hand.reach(pointer, to, { width: Math.min(width, height) })
      play(points)
      now += settle
      const at = { x: pointer.x, y: pointer.y, id }
      inputs.push({ t: now, kind: 'down', ...at })
      if (kind === 'text') inputs.push({ t: now, kind: 'focus', id })
      inputs.push({ t: (now += held), kind: 'up', ...at })
    },
    tabTo({ id }) {
      tap('Tab', id)
      inputs.push({ t: inputs.at(-2).t, kind: 'focus', id })
      now += hand.look(280)
    },
    type(strokes, id) {
      const end = Math.max(...strokes.map(({ until }) => until))
      let shift = false
      for (const { at, key, isDown } of transitions(strokes)) {
        if (key === 'Shift') shift = isDown
        inputs.push({ t: now + at, kind: isDown ? 'keydown' : 'keyup', ...keyStroke(key, shift), id })
      }
      now += end
    },
    result: () => ({ inputs: inputs.sort((a, b) => a.t - b.t), sentAt: now + 30 }),
  }
}
