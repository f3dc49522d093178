/** Programs that move the devices of the X server, or make events in the page; nothing is attached to the browser. */
import { curve, glide, robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { handOf } from '../hands/hand.mjs'
import { keyOf } from '../hands/us-keyboard.mjs'
import { fillByMouse, fillInTurn } from '../person/fill.mjs'
import { pause } from '../../stand/processes.mjs'
import { fromAbout } from './people-with-ways.mjs'

async function fillAsRobot(stage, hands) {
  await stage.customer.layout()
  await pause(1200)
  await fillInTurn(stage, hands)
}

/** What a userscript can do: events of its own making, and a click on the button by its method. */
const simulator = ({ who, customer: { box } }) => `addEventListener('load', async () => {
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
  for (const [id, text] of Object.entries(${JSON.stringify(who)})) {
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
  ${box ? `await press(${box.target})\n  while (!document.querySelector('form [name=${box.field}]')?.value) await pause(200)` : ''}
  await press(document.getElementById('send'))
})`

export default [
  {
    name: 'DOM simulator',
    what: 'a script in a browser without a debugger makes pointer, key and input events of its own',
    async visit(stage) {
      const { customer } = stage
      const hands = await fromAbout(stage, { script: simulator(stage) })
      await customer.layout(undefined, 5000).catch(() => hands.tap('F5'))
      await customer.form(25_000)
    },
  },
  {
    name: 'robotic X input',
    kind: 'stepped',
    what: 'a browser without a debugger; the pointer jumps to the middle of each field, keys at a constant pace, as xdotool does',
    async visit(stage) {
      openChromium(stage)
      await fillAsRobot(stage, robot(stage))
    },
  },
  {
    name: 'robotic X input, gliding',
    what: 'a browser without a debugger; straight lines at a constant speed to the middle of each field, a key every 90 ms',
    async visit(stage) {
      openChromium(stage)
      const { type, click } = robot(stage, { between: 60, held: 30 })
      const to = glide(stage)
      await fillAsRobot(stage, { type, click: (id) => to(id).then(() => click(id)) })
    },
  },
  {
    name: 'robotic X input, curved',
    what: 'a browser without a debugger; eased Bézier curves with noise to somewhere in each field, keys with uniformly random pauses and times',
    async visit(stage) {
      openChromium(stage)
      const { dice } = stage
      const { x } = stage.display
      const to = curve(stage)
      const click = async (id) => {
        await to(id)
        x.click(dice.between(50, 200), dice.between(50, 110))
        await x.done()
        await pause(dice.between(200, 500))
      }
      const type = async (text) => {
        for (const character of text) {
          const { key, isShifted } = keyOf(character)
          if (isShifted) x.key('Shift', true, 20)
          x.tap(key, dice.between(40, 140), dice.between(40, 90))
          if (isShifted) x.key('Shift', false, 10)
        }
        await x.done()
        await pause(dice.between(300, 700))
      }
      await fillAsRobot(stage, { click, type })
    },
  },
  {
    name: 'human-like X input',
    kind: 'inseparable',
    what: 'a browser without a debugger; paths and rhythms from a model of hands, through the X server. Limited by work that rises with rate, by rates per address, site and action, and by single use',
    async visit(stage) {
      openChromium(stage)
      await fillByMouse(stage, stage.hands({}, handOf(`robot ${stage.dice.next()}`)))
    },
  },
].map((bot) => ({ kind: 'bot', screen: true, ...bot }))
