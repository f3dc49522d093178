/** People who are refused at first; each sets up the circumstances, and presses the button of the step. */
import { openChromium } from './browsers.mjs'
import { onScreen } from './person/on-screen.mjs'
import { onAbout, vault } from './visitors/people-with-ways.mjs'

const person = (about, visit) => ({ kind: 'person', screen: true, ...about, visit })
const isOpen = ({ places }) => places.step !== undefined
const PATIENCE = 60_000

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
