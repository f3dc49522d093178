/** People with aids for their hands: switches, sticky keys, dwell clicking. */
import { typeEvenly } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { fillByKeyboard, fillInTurn } from '../person/fill.mjs'
import { onScreen, somewhereOn } from '../person/on-screen.mjs'
import { pause } from '../../stand/processes.mjs'

/** Milliseconds that a scanner rests on each row and each key. */
const SCAN_MS = 600
/** Milliseconds that a pointer has to rest before it clicks, and that the click takes. */
const DWELL_MS = 1000
const CLICK_MS = 2

/** A scanner goes over rows and keys; the switch is pressed when the right one is lit. */
const scanned = async ({ display, dice }, text) => {
  for (const character of text) {
    await pause(SCAN_MS * dice.pick([1, 1, 2, 2, 3]))
    await typeEvenly(display, character, { between: 0, held: 8 })
  }
}

/** How much slower than with ten fingers. */
const ONE_FINGER = 2.5

/** One finger, or a stick, presses one key at a time: Shift goes down and up before its letter. */
async function typeOneByOne({ display: { x } }, strokes) {
  let before = 0
  for (const { at, until, key } of strokes) {
    const [held, gap] = [Math.min(400, until - at), (at - before) * ONE_FINGER]
    x.tap(key, Math.max(60, gap - held), held)
    before = at
  }
  await x.done()
}

export default [
  {
    name: 'switch access',
    what: 'Chromium; a scanner lights row after row and key after key for 600 ms each, and one switch chooses: a keyboard on the screen types, the pointer jumps to the middle of what is chosen and clicks',
    async visit(stage) {
      const { customer, dice, display } = stage
      openChromium(stage)
      await customer.layout()
      const click = async (id) => {
        await pause(SCAN_MS * dice.pick([2, 3, 4]))
        const { left, top, width, height } = onScreen(await customer.layout(), id)
        display.x.move(left + width / 2, top + height / 2)
        display.x.click(SCAN_MS, 60)
        await display.x.done()
      }
      await fillInTurn(stage, { click, type: (text) => scanned(stage, text) })
    },
  },
  {
    name: 'sticky keys',
    what: 'Chromium with the X server’s sticky keys: one key at a time, Shift before its letter; Tab, Space and Enter, no pointer',
    async visit(stage) {
      const { x } = stage.display
      await x.setStickyKeys(true)
      stage.defer(() => x.setStickyKeys(false))
      openChromium(stage)
      const person = stage.person()
      const type = (text) => typeOneByOne(stage, person.type(text))
      await fillByKeyboard(stage, {
        ...stage.hands(),
        type,
        typeSentence: () => type(stage.who.comment),
      })
    },
  },
  {
    name: 'dwell clicking',
    what: 'Chromium; the pointer is moved by hand and clicks by itself where it rests for a second, in two milliseconds; a keyboard',
    async visit(stage) {
      const { customer, display, dice } = stage
      openChromium(stage)
      const hands = stage.hands()
      const click = async (id) => {
        const box = onScreen(await customer.layout(), id)
        await hands.reach(somewhereOn(box, dice), box)
        display.x.click(DWELL_MS, CLICK_MS)
        await display.x.done()
        await hands.rest(300, 700)
      }
      await customer.layout()
      await hands.rest(900, 2200)
      await fillInTurn(stage, { click, type: hands.type })
    },
  },
].map((person) => ({ kind: 'person', screen: true, ...person }))
