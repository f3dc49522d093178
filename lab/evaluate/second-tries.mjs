/** People who are refused at first; each sets up the circumstances, and presses the button of the step. */
import { openChromium } from './browsers.mjs'
import { fillByKeyboard } from './person/fill.mjs'
import { finger } from './person/finger.mjs'
import { onScreen } from './person/on-screen.mjs'
import { TOUCH_WINDOW } from './visitors/people.mjs'
import { autofill, onAbout, onVote, vault } from './visitors/people-with-ways.mjs'
import programs from './visitors/without-browser.mjs'

const person = (about, visit) => ({ kind: 'person', screen: true, ...about, visit })
const isOpen = ({ places }) => places.step !== undefined
const PATIENCE = 60_000
const NOTHING_TO_SHOW = programs.find(({ name }) => name === 'plain HTTP, nothing to show')

/** A program at the visitor's own address: its work is done, and each of its visits scores low. */
async function badNeighbours(stage, visits = 18) {
  for (let i = 0; i < visits; i++) {
    const { problem } = await stage.beside(NOTHING_TO_SHOW)
    if (problem !== undefined) throw new Error(`the neighbour: ${problem}`)
  }
}

/** The stage of somebody who does not wait for the form, since the step comes first. */
const unsent = (stage) => ({ ...stage, customer: { ...stage.customer, form: () => undefined } })

/** With Tab and Space; the focus is on the button that sends the form, which comes after the step. */
async function pressByKeyboard({ customer }, hands) {
  await customer.layout(isOpen, PATIENCE)
  await hands.rest(500, 1500)
  for (let tabs = 0; tabs < 8; tabs++) {
    if ((await customer.layout()).active === 'step') break
    const seen = customer.focusMoved(2000)
    await hands.tap('Tab', 'Shift')
    await hands.rest(200, 500)
    await seen
  }
  await hands.tap(' ')
  await customer.form(PATIENCE)
}

/** An engine of which nothing was measured: it names itself, and has neither Fetch Metadata nor client hints. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Otter/1.0.81'

/** Voice typing in a browser puts a word at a time where the caret is, as an editing command. */
const dictation = (said) => `addEventListener('focusin', ({ target }) => {
  if (target.id !== 'comment' || target.value) return
  let at = 1500
  for (const word of ${JSON.stringify(said)}.match(/\\S+\\s*/g)) {
    setTimeout(() => document.execCommand('insertText', false, word), at)
    at += 250 + word.length * 50
  }
})`

export default [
  person(
    {
      name: 'keyboard only, bad neighbour',
      what: 'Chromium; Tab, typing, Space and Enter, at an address from which a program has just made a dozen visits',
    },
    async (stage) => {
      await badNeighbours(stage)
      openChromium(stage)
      await fillByKeyboard(unsent(stage), stage.hands())
      await pressByKeyboard(stage, stage.hands())
    },
  ),
  person(
    {
      name: 'VPN, autofill',
      what: 'Chromium behind the exit of a VPN that the operator’s lists name as such and as abused, and through which a program has just made a dozen visits; name and email from the browser’s own suggestions',
      address: 'vpn',
    },
    async (stage) => {
      await badNeighbours(stage)
      await autofill(unsent(stage))
      const hands = stage.hands()
      await stage.customer.layout(isOpen, PATIENCE)
      await hands.rest(500, 1500)
      await hands.click('step', isOpen)
      await stage.customer.form(PATIENCE)
    },
  ),
  person(
    {
      name: 'one tap, unmeasured engine',
      what: 'a browser that names an engine of which nothing was measured, without Fetch Metadata and client hints (Chromium, whose requests lose them), on a touch screen behind a carrier’s address from which a program has just made twelve visits; a form of one button, which is tapped once',
      screen: 'touch',
      drops: /^sec-/i,
    },
    async (stage) => {
      const { customer } = stage
      await badNeighbours(stage, 12)
      openChromium(stage, { path: '/vote', args: [...TOUCH_WINDOW, `--user-agent=${AGENT}`] })
      await customer.layout(onVote)
      const hands = stage.hands()
      await hands.rest(1500, 4000)
      const { tap } = finger(stage.display, stage.person(), stage)
      await tap('send', onVote)
      await customer.layout(isOpen, PATIENCE)
      await hands.rest(500, 1500)
      await tap('step', isOpen)
      await customer.form(PATIENCE)
    },
  ),
  person(
    {
      name: 'voice-like input',
      what: 'Chromium; the pointer jumps to the middle of what is named and clicks, as programs for voice control do; a sentence comes word by word without a key, as voice typing brings it; a password manager fills in name and email',
    },
    async (stage) => {
      const { customer, dice, who } = stage
      const { x } = stage.display
      const hands = stage.hands()
      openChromium(stage, { path: '/about', script: `${vault(who)}\n${dictation(who.comment)}` })
      const say = async (id, suits) => {
        await hands.rest(1200, 2600)
        const { left, top, width, height } = onScreen(await customer.layout(suits, 40_000), id)
        x.move(left + width / 2, top + height / 2)
        x.button(1, true, dice.between(60, 160))
        x.button(1, false, dice.between(60, 110))
        await x.done()
      }
      // Extensions come a little later than the first page of a browser that has just been started.
      await customer.layout(onAbout)
      await hands.rest(2000, 3000)
      await say('back', onAbout)
      await customer.layout()
      await say('email')
      await say('comment')
      await customer.layout(({ lengths }) => lengths[2] >= who.comment.length, 20_000)
      await say('terms')
      await say('send')
      await say('step', isOpen)
      await customer.form(PATIENCE)
    },
  ),
]
