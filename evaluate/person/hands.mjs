import { activeWindow } from '../screen/active-window.mjs'
import { pause } from '../stand/processes.mjs'
import { onScreen, outOfSight, placedBy, somewhereOn } from './on-screen.mjs'
import { carry, densify, nearest } from './scale-path.mjs'
import { transitions, typeText } from './type-text.mjs'

/**
 * The hands of a recorded person on the mouse and the keyboard of a display.
 *
 * @param {Awaited<ReturnType<import('../screen/display.mjs').startDisplay>>} display
 * @param {ReturnType<ReturnType<import('./recordings.mjs').recordings>['person']>} person
 * @param {{ dice: ReturnType<import('./dice.mjs').dice>, customer: object, every?: number, believes?: boolean }} at `customer`: whose page;
 *   `every`: milliseconds between two reports of the mouse, 8 is 125 Hz; `believes`: what the page tells of the screen
 */
export function hands({ x, key }, { mouse, typist }, { dice, customer, every = 8, believes = true }) {
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

  /** Clicks of the wheel, each three lines or so, until it is in sight. */
  async function inSight(id, suits) {
    for (let turns = 0; turns < 20; turns++) {
      const layout = await customer.layout(suits)
      const where = outOfSight(layout, id)
      if (where === 0) return layout
      for (let i = 0; i < 3; i++) {
        x.button(where > 0 ? 5 : 4, true, dice.between(30, 110))
        x.button(where > 0 ? 5 : 4, false, 1)
      }
      await x.done()
      // The page scrolls smoothly, and tells when it has come to rest.
      await rest(500, 700)
    }
    throw new Error(`#${id} never came into sight`)
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

  /**
   * Goes to a part of the page, as the page tells where it is, and clicks on it; brings it into sight first.
   *
   * @param {(layout: object) => boolean} [suits] which page
   */
  async function click(id, suits) {
    const layout = await inSight(id, suits)
    const placed = believes ? layout : placedBy(layout, await activeWindow(x))
    const { settle, held } = await reach(somewhereOn(onScreen(placed, id), dice))
    x.button(1, true, settle)
    x.button(1, false, held)
    await x.done()
  }

  /** Clicks, and looks what came of it: where nothing did, once more, as people do. Browsers drop what comes too early. */
  async function clickUntil(id, suits, came) {
    for (let tries = 0; tries < 3; tries++) {
      await click(id, suits)
      if (await came().catch(() => false)) return
    }
    throw new Error(`three clicks on #${id}, and nothing came of them`)
  }

  return {
    rest,
    reach,
    tap,
    click,
    /** Clicks into a field, until the caret is in it. */
    enter: (id, suits) =>
      clickUntil(id, suits, () => customer.layout(({ active }, i, all) => i === all.length - 1 && active === id, 2500)),
    /** Clicks on a link, until the page is there that it leads to. */
    follow: (id, from, to) => clickUntil(id, from, () => customer.layout(to, 4000)),
    /** Other words in the person's own rhythm. */
    type: (text) => play(typeText(text, typist.rhythm, dice)),
    /** One of the person's own sentences, with its mistakes and Backspaces, as long as it takes at most so many ms. */
    async typeSentence(most = 6000) {
      const short = typist.sentences.filter((strokes) => strokes.at(-1).until <= most)
      const shortest = () => [...typist.sentences].sort((a, b) => a.length - b.length)[0]
      await play(short.length > 0 ? dice.pick(short) : shortest().slice(0, 24))
    },
  }
}
