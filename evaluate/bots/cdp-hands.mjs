import { pause } from '../stand/processes.mjs'
import { somewhereOn } from '../person/on-screen.mjs'
import { carry, densify, nearest } from '../person/scale-path.mjs'
import { transitions, typeText } from '../person/type-text.mjs'

/**
 * Recorded hands through `Input.dispatchMouseEvent` and `Input.dispatchKeyEvent`: the path and the rhythm of a person, the
 * events of a debugger.
 *
 * @param {(method: string, parameters: object) => Promise<unknown>} send
 * @param {object} person of the recordings
 * @param {object} dice
 */
export function cdpHands(send, { mouse, typist }, dice) {
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
    /** @param {{ left: number, top: number, width: number, height: number }} box in the page's own pixels */
    async click(box) {
      const to = somewhereOn(box, dice)
      const reach = nearest(mouse.reaches, Math.hypot(to.x - at.x, to.y - at.y), dice.next)
      const path = densify(carry(reach, at, to), 8).map(({ t, x, y }) => ({ at: t, x, y }))
      await inTime(path, ({ x, y }) => {
        at = { x, y }
        return mouseEvent('mouseMoved')
      })
      await pause(reach.settle)
      await mouseEvent('mousePressed', { button: 'left', buttons: 1, clickCount: 1, force: 0.5 })
      await pause(reach.held)
      await mouseEvent('mouseReleased', { button: 'left', clickCount: 1 })
    },
    /** @param {string} text */
    async type(text) {
      const capitals = [...text]
      const strokes = typeText(text, typist.rhythm, dice)
      const letters = new Map(strokes.filter(({ key }) => key !== 'Shift').map((stroke, i) => [stroke, capitals[i]]))
      const textOf = new Map(strokes.map((stroke) => [`${stroke.at} ${stroke.key}`, letters.get(stroke)]))
      const lifted = new Map(strokes.map((stroke) => [`${stroke.until} ${stroke.key}`, letters.get(stroke)]))
      let modifiers = 0
      await inTime(transitions(strokes), ({ at: when, key, isDown }) => {
        if (key === 'Shift') modifiers = isDown ? 8 : 0
        const character = (isDown ? textOf : lifted).get(`${when} ${key}`)
        return send('Input.dispatchKeyEvent', {
          type: isDown ? 'keyDown' : 'keyUp',
          modifiers,
          ...(key === 'Shift'
            ? { key, code: 'ShiftLeft', windowsVirtualKeyCode: 16 }
            : {
                key: character,
                code: codeOf(key),
                windowsVirtualKeyCode: keyCodeOf(key),
                ...(isDown && { text: character }),
              }),
        })
      })
    },
    rest: (least, most) => pause(dice.between(least, most)),
  }
}

const CODES = { ' ': 'Space', '.': 'Period', ',': 'Comma', '-': 'Minus' }
const codeOf = (key) => CODES[key] ?? (/\d/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}`)
const KEY_CODES = { ' ': 32, '.': 190, ',': 188, '-': 189 }
const keyCodeOf = (key) => KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0)
