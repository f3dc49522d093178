import { pause } from '../../stand/processes.mjs'
import { sizeAlong, somewhereOn } from '../person/on-screen.mjs'
import { transitions } from '../person/transitions.mjs'

/**
 * A person's hands through `Input.dispatchMouseEvent` and `Input.dispatchKeyEvent`: the path and the rhythm of a person, the
 * events of a debugger.
 *
 * @param {(method: string, parameters: object) => Promise<unknown>} send
 * @param {object} person synthetic or recorded: lab/evaluate/person/people.mjs
 * @param {object} dice
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
    /** @param {{ left: number, top: number, width: number, height: number }} box in the page's own pixels */
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
    /** @param {string} text */
    async type(text) {
      let modifiers = 0
      await inTime(transitions(person.type(text)), ({ key, character, isDown }) => {
        if (key === 'Shift') modifiers = isDown ? 8 : 0
        return send('Input.dispatchKeyEvent', {
          type: isDown ? 'keyDown' : 'keyUp',
          modifiers,
          ...(key === 'Shift'
            ? { key, code: 'ShiftLeft', windowsVirtualKeyCode: 16 }
            : key === 'BackSpace'
              ? { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 }
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
