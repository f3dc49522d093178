/** People whose tools act for them: voice control, remote desktops, developer tools, password managers. */
import { byAccessibility } from '../bots/accessibility-bus.mjs'
import { robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { fillByMouse, fillInTurn, pressIfAsked } from '../person/fill.mjs'
import { NAMES } from './agents.mjs'
import { withTools } from './people-beside.mjs'
import { fromAbout, on, onAbout } from './people-with-ways.mjs'

/** Milliseconds between two moves that a remote desktop or docked developer tools let through: one for each frame. */
const ALONE = { every: 17 }
/** What a password manager does that signs in by itself: fills in and sends, with events and a click of its own making. */
const signsIn = (who) => `addEventListener('load', () => setTimeout(() => {
  for (const [id, text] of Object.entries(${JSON.stringify(who)})) {
    const field = document.getElementById(id)
    if (!field) return
    field.value = text
    for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
  }
  for (const id of ['terms', 'send']) document.getElementById(id).click()
}, 900))`

/** Milliseconds that auto-type lets pass between two keys, and holds each; voice control holds its clicks as long. */
const AUTO_TYPE = { between: 20, held: 15 }

/** Milliseconds of the clocks of one visit after another. */
const CLOCKS = [100, 20, 250]

/** What an extension for privacy does to every clock of a page. */
const coarse = (ms) => `{
  const coarsen = (time) => Math.floor(time / ${ms}) * ${ms}
  const { get } = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp')
  Object.defineProperty(Event.prototype, 'timeStamp', { get() { return coarsen(get.call(this)) } })
  const { now } = Performance.prototype
  Performance.prototype.now = function () { return coarsen(now.call(this)) }
  const today = Date.now
  Date.now = () => coarsen(today())
}`

export default [
  {
    name: 'coarse clocks',
    what: 'Chromium with an extension that coarsens the times of events and all clocks of the page to 100, 20 and 250 ms in turns; mouse and keyboard',
    async visit(stage) {
      const script = coarse(CLOCKS[stage.run % CLOCKS.length])
      const hands = await fromAbout(stage, { script, world: 'MAIN' })
      await hands.follow('back', onAbout, on('/'))
      await fillByMouse(stage, hands)
    },
  },
  {
    name: 'voice control, accessibility tree',
    what: 'Chromium; what is named is pressed by its action on the accessibility bus (AT-SPI), and dictation types what is said, at once; no pointer at all',
    needs: ['atSpi'],
    async visit(stage) {
      const act = await byAccessibility(stage)
      const hands = stage.hands()
      const roleOf = { terms: 'check box', send: 'push button' }
      const say = (id, text) =>
        hands
          .rest(1200, 2600)
          .then(() => act({ role: roleOf[id] ?? 'entry', name: NAMES[id], text }))
      await stage.customer.layout()
      await fillInTurn(stage, { click: (id) => say(id), type: (text, id) => say(id, text) })
    },
  },
  {
    name: 'voice control beside auto-type',
    what: 'Chromium; the pointer jumps to the middle of what is named and clicks, as programs for voice control do, and a password manager beside the browser types each field in even steps; the step is pressed by voice',
    async visit(stage) {
      const hands = stage.hands()
      openChromium(stage)
      const { type, click } = robot(stage, AUTO_TYPE)
      const say = (act) => (id) => hands.rest(1200, 2600).then(() => act(id))
      await stage.customer.layout()
      await fillInTurn(stage, { click: say(click), type: say(type) })
    },
  },
  {
    name: 'remote desktop',
    what: 'Chromium on a screen far away, to which each move of the mouse is sent alone, once for each frame',
    async visit(stage) {
      openChromium(stage)
      await fillByMouse(stage, stage.hands(ALONE))
    },
  },
  {
    name: 'developer tools, moves alone',
    what: 'Chromium with its developer tools docked, which deliver every move by itself: the customer’s developer, by mouse',
    async visit(stage) {
      openChromium(stage)
      const beside = await withTools(stage)
      await fillByMouse(beside, stage.hands({ ...ALONE, customer: beside.customer }))
    },
  },
  {
    name: 'password manager, signs in',
    what: 'Chromium with an extension that fills in and sends by script; the person touches nothing, but presses the step where it is asked for',
    async visit(stage) {
      const hands = await fromAbout(stage, { script: signsIn(stage.who) })
      await hands.follow('back', onAbout, on('/'))
      await pressIfAsked(stage, hands.click)
      await stage.customer.form()
    },
  },
].map((person) => ({ kind: 'person', screen: true, ...person }))
