import { openChromium } from '../browsers/chromium.mjs'
import { extension } from '../browsers/extension.mjs'

/** What the extensions of password managers do: they set the values and say so with events of their own. */
const SCRIPT = `addEventListener('load', () => document.addEventListener('focusin', function fill() {
  document.removeEventListener('focusin', fill)
  setTimeout(() => {
    for (const [id, text] of Object.entries(WHO)) {
      const field = document.getElementById(id)
      if (!field) continue
      field.value = text
      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
    }
  }, 400)
}))`

const onAbout = ({ path }) => path === '/about'

export default {
  name: 'password manager',
  kind: 'person',
  what: 'Chromium with an extension that fills in name and email; the rest by mouse, no key at all',
  screen: true,
  async visit(stage) {
    const { name, email } = stage.who
    const script = SCRIPT.replace('WHO', JSON.stringify({ name, email }))
    const browser = openChromium(stage.display, new URL('/about', stage.url).href, extension({ name: 'vault', script }))
    stage.defer(browser.close)
    const { customer } = stage
    const hands = stage.hands()
    // Extensions come a little later than the first page of a browser that has just been started.
    await customer.layout(onAbout)
    await hands.rest(2000, 3000)
    await hands.follow('back', onAbout, ({ path }) => path === '/')
    await hands.rest(1200, 2500)
    await hands.click('email')
    await hands.rest(1200, 2000)
    await hands.click('terms')
    await hands.rest(300, 700)
    await hands.click('send')
    await customer.form()
  },
}
