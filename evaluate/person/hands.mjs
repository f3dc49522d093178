import { pause } from '../stand/processes.mjs'
import { onScreen, somewhereOn } from './on-screen.mjs'
import { carry, densify, nearest } from './scale-path.mjs'
import { transitions, typeText } from './type-text.mjs'

/**
 * The hands of a recorded person on the mouse and the keyboard of a display.
 *
 * @param {Awaited<ReturnType<import('../screen/display.mjs').startDisplay>>} display
 * @param {ReturnType<ReturnType<import('./recordings.mjs').recordings>['person']>} person
 * @param {ReturnType<import('./dice.mjs').dice>} dice
 * @param {{ every?: number }} [device] milliseconds between two reports of the mouse: 8 is 125 Hz
 */
export function hands({ x, key }, { mouse, typist }, dice, { every = 8 } = {}) {
  /** Milliseconds; no two pauses are alike. */
  const rest = (least, most) => pause(dice.between(least, most))

  /** Goes there as the person went from click to click. @returns the reach */
  async function reach(to) {
    const from = await x.pointer()
    const distance = Math.hypot(to.x - from.x, to.y - from.y)
    const recorded = nearest(mouse.reaches, distance, dice.next)
    let before = 0
    for (const point of densify(carry(recorded, from, to), every)) {
      x.move(point.x, point.y, point.t - before)
      before = point.t
    }
    await x.done()
    return recorded
  }

  async function play(strokes) {
    let before = 0
    for (const { at, key: name, isDown } of transitions(strokes)) {
      x.key(key(name).keycode, isDown, at - before)
      before = at
    }
    await x.done()
  }

  const tap = async (name, modifier) => {
    const held = dice.between(60, 120)
    if (modifier) x.key(key(modifier).keycode, true)
    x.key(key(name).keycode, true, modifier ? dice.between(60, 140) : 0)
    x.key(key(name).keycode, false, held)
    if (modifier) x.key(key(modifier).keycode, false, dice.between(20, 60))
    await x.done()
  }

  return {
    rest,
    reach,
    tap,
    /** Goes to a part of the page and clicks on it. */
    async click(layout, id) {
      const { settle, held } = await reach(somewhereOn(onScreen(layout, id), dice))
      x.button(1, true, settle)
      x.button(1, false, held)
      await x.done()
    },
    /** Other words in the person's own rhythm. */
    type: (text) => play(typeText(text, typist.rhythm, dice)),
    /** One of the person's own sentences, with its mistakes and Backspaces, as long as it takes at most so many ms. */
    async typeSentence(most = 9000) {
      const short = typist.sentences.filter((strokes) => strokes.at(-1).until <= most)
      const shortest = () => [...typist.sentences].sort((a, b) => a.length - b.length)[0]
      await play(short.length > 0 ? dice.pick(short) : shortest().slice(0, 24))
    },
    /** Clicks of the wheel; each is three lines or so. */
    async scroll(clicks) {
      for (let i = 0; i < Math.abs(clicks); i++) {
        x.button(clicks > 0 ? 5 : 4, true, dice.between(25, 110))
        x.button(clicks > 0 ? 5 : 4, false, 1)
      }
      await x.done()
    },
  }
}
