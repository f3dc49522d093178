import { openChromium } from '../browsers/chromium.mjs'

/** Milliseconds that KeePassXC waits between two keys by default; a key is let go at once. */
const BETWEEN = 25

/** Presses the keys of a text as a password manager's auto-type does: through the X server, evenly and at once. */
async function autoType({ x, key }, text) {
  for (const character of text) {
    const { keycode, shift } = key(character)
    const modifier = shift ? key('Shift').keycode : undefined
    if (modifier) x.key(modifier, true)
    x.key(keycode, true)
    x.key(keycode, false, 1)
    if (modifier) x.key(modifier, false)
    // The next key waits; letting go of Shift where it is up is nothing.
    x.key(key('Shift').keycode, false, BETWEEN)
  }
  await x.done()
}

export default {
  name: 'auto-type',
  kind: 'person',
  what: 'Chromium; clicks into the first field, and a password manager beside the browser types name, Tab and email; the rest by mouse',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const { customer, display, who } = stage
    const hands = stage.hands()
    await customer.layout()
    await hands.rest(1200, 2500)
    await hands.enter('name')
    await hands.rest(700, 1500)
    await autoType(display, who.name)
    const { keycode } = display.key('Tab')
    display.x.key(keycode, true)
    display.x.key(keycode, false, 1)
    await autoType(display, who.email)
    await hands.rest(700, 1500)
    await hands.click('terms')
    await hands.rest(200, 600)
    await hands.click('send')
    await customer.form()
  },
}
