import { openChromium } from '../browsers/chromium.mjs'
import { extension } from '../browsers/extension.mjs'

/** What a userscript can do: events of its own making, and a click on the button by its method. */
const SCRIPT = `addEventListener('load', async () => {
  if (location.pathname === '/about') return location.assign('/')
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const fire = (element, Type, name, more) => element.dispatchEvent(new Type(name, { bubbles: true, cancelable: true, composed: true, ...more }))
  const press = async (element) => {
    const box = element.getBoundingClientRect()
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, pointerType: 'mouse', pointerId: 1, isPrimary: true }
    for (let i = 0; i < 20; i++) {
      fire(document, PointerEvent, 'pointermove', { ...at, clientX: at.clientX - 20 + i })
      await pause(12)
    }
    for (const [Type, name] of [[PointerEvent, 'pointerdown'], [MouseEvent, 'mousedown'], [PointerEvent, 'pointerup'], [MouseEvent, 'mouseup']]) fire(element, Type, name, at)
    element.focus()
    element.click()
  }
  await pause(800)
  for (const [id, text] of Object.entries(WHO)) {
    const field = document.getElementById(id)
    await press(field)
    for (const key of text) {
      fire(field, KeyboardEvent, 'keydown', { key })
      field.value += key
      fire(field, InputEvent, 'input', { data: key, inputType: 'insertText' })
      await pause(60)
      fire(field, KeyboardEvent, 'keyup', { key })
    }
  }
  await press(document.getElementById('terms'))
  await press(document.getElementById('send'))
})`

export default {
  name: 'DOM simulator',
  kind: 'bot',
  what: 'a script in a browser without a debugger makes pointer, key and input events of its own',
  screen: true,
  async visit(stage) {
    const script = SCRIPT.replace('WHO', JSON.stringify(stage.who))
    const { customer, display } = stage
    const about = new URL('/about', stage.url).href
    const browser = openChromium(display, about, extension({ name: 'form filler', script }))
    stage.defer(browser.close)
    // Extensions come a little later than the first page of a browser that has just been started.
    await customer.layout(({ path }) => path === '/about')
    await customer.layout(undefined, 5000).catch(async () => {
      const { keycode } = display.key('F5')
      display.x.key(keycode, true)
      display.x.key(keycode, false, 50)
      await display.x.done()
    })
    await customer.form(25_000)
  },
}
