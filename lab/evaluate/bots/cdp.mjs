import { fillInTurn } from '../person/fill.mjs'
import { sizeAlong, somewhereOn } from '../person/on-screen.mjs'
import { transitions } from '../person/keyboard.mjs'
import { home, startAsVisitor } from '../screen/account.mjs'
import { pause, until } from '../../stand/processes.mjs'
import { CHROMIUM, NOT_AUTOMATED, QUIET } from './chromium.mjs'

/** Starts Chromium with a debugging port, and waits for a page in it. */
export async function debuggedChromium(stage, args) {
  const own = home()
  const quiet = [...QUIET, NOT_AUTOMATED]
  const flags = [`--user-data-dir=${own.folder}/profile`, '--remote-debugging-port=0']
  const browser = startAsVisitor(stage, CHROMIUM, [...flags, ...quiet, ...args, 'about:blank'], {
    own,
  })
  const port = await until(
    () => /DevTools listening on ws:\/\/([\d.:]+)\//.exec(browser.said())?.[1],
    'the debugging port',
    20_000,
  )
  const page = await until(
    async () =>
      (await (await fetch(`http://${port}/json`)).json()).find(({ type }) => type === 'page'),
    'a page',
    10_000,
  )
  return { port, page }
}

/** Chromium with a debugging port and nothing else of a driver: one page session, and not a single domain enabled. */
export async function openWithDebugger(stage, args) {
  const { page } = await debuggedChromium(stage, args)
  const { default: WebSocket } = await import('ws')
  const socket = new WebSocket(page.webSocketDebuggerUrl, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map()
  let lastId = 0
  socket.on('message', (/** @type {Buffer} */ text) => {
    const { id, result, error } = JSON.parse(text.toString('utf8'))
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(error.message))
    else asked?.resolve(result)
  })
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      socket.send(JSON.stringify({ id, method, params }))
    })
}

/**
 * A person's hands through `Input.dispatchMouseEvent` and `Input.dispatchKeyEvent`: the path and the rhythm of a person, the
 * events of a debugger.
 */
export function cdpHands(send, person, dice) {
  let at = { x: 40, y: 300 }
  const mouseEvent = (type, more = {}) =>
    send('Input.dispatchMouseEvent', { type, x: at.x, y: at.y, pointerType: 'mouse', ...more })

  async function inTime(events, play) {
    const started = performance.now()
    for (const event of events) {
      await pause(Math.max(0, event.at - (performance.now() - started)))
      await play(event)
    }
  }

  return {
    /** Clicks on a box of the page, in its own pixels. */
    async click(box) {
      const to = somewhereOn(box, dice)
      const reach = person.reach(at, to, { every: 8, width: sizeAlong(box, at, to) })
      const path = reach.points.map(({ t, x, y }) => ({ at: t, x, y }))
      await inTime(path, ({ x, y }) => {
        at = { x, y }
        return mouseEvent('mouseMoved')
      })
      await pause(reach.settle)
      await mouseEvent('mousePressed', { button: 'left', buttons: 1, clickCount: 1, force: 0.5 })
      await pause(reach.held)
      await mouseEvent('mouseReleased', { button: 'left', clickCount: 1 })
    },
    async type(text) {
      let modifiers = 0
      await inTime(transitions(person.type(text)), ({ key, character, isDown }) => {
        if (key === 'Shift') modifiers = isDown ? 8 : 0
        return send('Input.dispatchKeyEvent', {
          type: isDown ? 'keyDown' : 'keyUp',
          modifiers,
          ...keyOfEvent(key, character),
          ...(isDown && key.length === 1 && { text: character }),
        })
      })
    },
    rest: (least, most) => pause(dice.between(least, most)),
  }
}

/** `code` and `keyCode` of keys that are no letter and no digit. */
const CODES = {
  Shift: ['ShiftLeft', 16],
  BackSpace: ['Backspace', 8],
  ' ': ['Space', 32],
  '.': ['Period', 190],
  ',': ['Comma', 188],
  '-': ['Minus', 189],
}
function keyOfEvent(name, character) {
  const upper = name.toUpperCase()
  const [code, keyCode] = CODES[name] ?? [
    /\d/.test(name) ? `Digit${name}` : `Key${upper}`,
    upper.charCodeAt(0),
  ]
  return {
    key: name.length === 1 ? character : code.replace('Left', ''),
    code,
    windowsVirtualKeyCode: keyCode,
  }
}

/** A finger of the DevTools protocol, with the times of a person's clicks, and their keys. */
export const cdpFinger = (send, person, dice) => ({
  ...cdpHands(send, person, dice),
  async click(box) {
    const { x, y } = somewhereOn(box, dice)
    const point = {
      x,
      y,
      radiusX: dice.between(9, 14),
      radiusY: dice.between(9, 14),
      force: dice.between(0.3, 0.8),
    }
    await send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    await pause(person.press())
    await send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  },
})

/** Fills in the form with such hands. */
export async function fillByCdp(stage, hands) {
  const click = async (id) => {
    const { places } = await stage.customer.layout()
    const [left, top, width, height] = places[id]
    await hands.click({ left, top, width, height })
  }
  await stage.customer.layout()
  await hands.rest(900, 2000)
  await fillInTurn(stage, {
    enter: (id) => click(id).then(() => hands.rest(250, 700)),
    type: (text) => hands.type(text).then(() => hands.rest(300, 900)),
    click: (id) => click(id).then(() => hands.rest(200, 500)),
  })
}
