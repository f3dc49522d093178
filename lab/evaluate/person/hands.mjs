import { pause } from '../../stand/processes.mjs'
import { keyboard } from './keyboard.mjs'
import { onScreen, outOfSight, sizeAlong, somewhereOn, trueLayout } from './on-screen.mjs'

/**
 * Plays the hands of a person, synthetic or recorded, on the mouse and the keyboard of a display. `customer`: whose page;
 * `every`: milliseconds between two reports of the mouse, 8 is 125 Hz, default the person's own; `believes`: whether the page's
 * account of the screen is true.
 */
export function hands({ x }, person, { dice, customer, every = person.every, believes = true }) {
  /** Milliseconds; no two pauses are alike. */
  const rest = (least, most) => pause(dice.between(least, most))

  /** Goes there as the person goes from click to click. @returns the reach */
  async function reach(to, box) {
    const from = await x.pointer()
    const reached = person.reach(from, to, {
      every,
      ...(box && { width: sizeAlong(box, from, to) }),
    })
    let before = 0
    for (const { t, x: left, y: top } of reached.points) {
      // The server counts whole milliseconds; what one wait loses, the next one has.
      x.move(left, top, Math.round(t) - before)
      before = Math.round(t)
    }
    await x.done()
    return reached
  }

  /** Clicks of the wheel, each three lines or so, until it is in sight. */
  async function inSight(id, suits) {
    for (let turns = 0; turns < 20; turns++) {
      const layout = await customer.layout(suits)
      const where = outOfSight(layout, id)
      if (where === 0) return layout
      for (let i = 0; i < 3; i++) x.click(dice.between(30, 110), 1, where > 0 ? 5 : 4)
      await x.done()
      // The page scrolls smoothly, and tells when it has come to rest.
      await rest(500, 700)
    }
    throw new Error(`#${id} never came into sight`)
  }

  /** Goes to a part of the page, as the page tells where it is, and clicks on it; brings it into sight first. */
  async function click(id, suits) {
    const box = onScreen(await trueLayout(await inSight(id, suits), x, believes), id)
    const { settle, held } = await reach(somewhereOn(box, dice), box)
    x.click(settle, held)
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
    ...keyboard({ x }, person, dice),
    rest,
    reach,
    click,
    /** Clicks into a field, until the caret is in it. */
    enter: (id, suits) =>
      clickUntil(id, suits, () =>
        customer.layout(({ active }, i, all) => i === all.length - 1 && active === id, 2500),
      ),
    /** Clicks on a link, until the page is there that it leads to. */
    follow: (id, from, to) => clickUntil(id, from, () => customer.layout(to, 4000)),
  }
}
