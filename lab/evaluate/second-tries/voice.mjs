import { openChromium } from '../browsers/chromium.mjs'
import { extension } from '../browsers/extension.mjs'
import { onScreen } from '../person/on-screen.mjs'

/**
 * A password manager fills in name and email at the first focus, as the one of visitors/password-manager.mjs. Voice typing in a
 * browser puts a word at a time where the caret is, as an editing command.
 */
const SCRIPT = `addEventListener('load', () => document.addEventListener('focusin', function fill() {
  document.removeEventListener('focusin', fill)
  setTimeout(() => {
    for (const [id, text] of Object.entries(VAULT)) {
      const field = document.getElementById(id)
      if (!field) continue
      field.value = text
      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
    }
  }, 400)
}))
addEventListener('focusin', ({ target }) => {
  if (target.id !== 'comment' || target.value) return
  let at = 1500
  for (const word of SAID.match(/\\S+\\s*/g)) {
    setTimeout(() => document.execCommand('insertText', false, word), at)
    at += 250 + word.length * 50
  }
})`

const onAbout = ({ path }) => path === '/about'
const isOpen = ({ places }) => places.step !== undefined

export default {
  name: 'voice-like input',
  kind: 'person',
  what: 'Chromium; the pointer jumps to the middle of what is named and clicks, as programs for voice control do; a sentence comes word by word without a key, as voice typing brings it; a password manager fills in name and email',
  screen: true,
  async visit(stage) {
    const { customer, display, dice } = stage
    const hands = stage.hands()
    const { comment, name, email } = stage.who
    const script = SCRIPT.replace('VAULT', JSON.stringify({ name, email })).replace('SAID', JSON.stringify(comment))
    const about = new URL('/about', stage.url).href
    const browser = openChromium(display, about, extension({ name: 'voice', script }))
    stage.defer(browser.close)
    const say = async (id, suits) => {
      await hands.rest(1200, 2600)
      const { left, top, width, height } = onScreen(await customer.layout(suits, 40_000), id)
      display.x.move(left + width / 2, top + height / 2)
      display.x.button(1, true, dice.between(60, 160))
      display.x.button(1, false, dice.between(60, 110))
      await display.x.done()
    }
    // Extensions come a little later than the first page of a browser that has just been started.
    await customer.layout(onAbout)
    await hands.rest(2000, 3000)
    await say('back', onAbout)
    await customer.layout()
    await say('email')
    await say('comment')
    await customer.layout(({ lengths }) => lengths[2] >= comment.length, 20_000)
    await say('terms')
    await say('send')
    await say('step', isOpen)
    await customer.form(60_000)
  },
}
