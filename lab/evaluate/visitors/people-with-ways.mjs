/** People with a way of their own through the page: helpers that fill in, other pages, a form of one button. */
import { typeEvenly } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { fillByMouse, pressBox } from '../person/fill.mjs'
import { finger } from '../person/finger.mjs'
import { onScreen } from '../person/on-screen.mjs'
import { TOUCH_WINDOW } from './people.mjs'

/** Tells the layouts of one page from others. */
export const on =
  (wanted) =>
  ({ path }) =>
    path === wanted
const [onForm, onVote] = ['/', '/vote'].map(on)
export const onAbout = on('/about')

/** What the extensions of password managers do: they set the values and say so with events of their own. */
const vault = (
  who,
) => `addEventListener('load', () => document.addEventListener('focusin', function fill() {
  document.removeEventListener('focusin', fill)
  setTimeout(() => {
    for (const [id, text] of Object.entries(${JSON.stringify({ name: who.name, email: who.email })})) {
      const field = document.getElementById(id)
      if (!field) continue
      field.value = text
      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
    }
  }, 400)
}))`

/** Voice typing in a browser puts a word at a time where the caret is, as an editing command. */
const dictation = (said) => `addEventListener('focusin', ({ target }) => {
  if (target.id !== 'comment' || target.value) return
  let at = 1500
  for (const word of ${JSON.stringify(said)}.match(/\\S+\\s*/g)) {
    setTimeout(() => document.execCommand('insertText', false, word), at)
    at += 250 + word.length * 50
  }
})`

/** KeePassXC waits so many milliseconds between two keys by default; a key is let go at once. */
const AUTO_TYPE = { between: 25, held: 1 }

/** Opens another page first: extensions come a little later than the first page of a browser that has just been started. */
export async function fromAbout(stage, options) {
  openChromium(stage, { path: '/about', ...options })
  const hands = stage.hands()
  await stage.customer.layout(onAbout)
  await hands.rest(2000, 3000)
  return hands
}

/** Ticks the box and sends the form. */
async function finish(stage, hands, ...rest) {
  await hands.click('terms')
  await hands.rest(...rest)
  await pressBox(stage, (id) => hands.click(id).then(() => hands.rest(...rest)))
  await hands.click('send')
  await stage.customer.form()
}

/** Taps the one button of the vote's form, once. @param {string[]} args of the browser */
export async function voteByTap(stage, args = []) {
  openChromium(stage, { path: '/vote', args: [...TOUCH_WINDOW, ...args] })
  await stage.customer.layout(onVote)
  await stage.hands().rest(1500, 4000)
  await finger(stage.display, stage.person(), stage).tap('send', onVote)
  await stage.customer.form()
}

export default [
  {
    name: 'autofill',
    what: 'Chromium; name and email from the browser’s own suggestions, saved when another form was sent, chosen with arrow and Enter',
    async visit(stage) {
      const { customer, who } = stage
      openChromium(stage, { path: '/newsletter' })
      const hands = stage.hands()
      for (const id of ['name', 'email']) {
        await hands.enter(id, on('/newsletter'))
        await hands.type(who[id])
      }
      await hands.tap('Return')
      await customer.layout(on('/thanks'))
      await hands.rest(700, 1500)
      await hands.follow('home', on('/thanks'), onForm)
      await hands.rest(1500, 3000)
      for (const id of ['name', 'email']) {
        await hands.click(id)
        for (const key of ['Down', 'Down', 'Return']) {
          await hands.rest(400, 800)
          await hands.tap(key)
        }
        await hands.rest(500, 900)
      }
      await finish(stage, hands, 200, 500)
    },
  },
  {
    name: 'auto-type',
    what: 'Chromium; clicks into the first field, and a password manager beside the browser types name, Tab and email; the rest by mouse',
    async visit(stage) {
      openChromium(stage)
      const { customer, display, who } = stage
      const hands = stage.hands()
      await customer.layout()
      await hands.rest(1200, 2500)
      await hands.enter('name')
      await hands.rest(700, 1500)
      await typeEvenly(display, `${who.name}\t${who.email}`, AUTO_TYPE)
      await hands.rest(700, 1500)
      await finish(stage, hands, 200, 600)
    },
  },
  {
    name: 'password manager',
    what: 'Chromium with an extension that fills in name and email; the rest by mouse, no key at all',
    async visit(stage) {
      const hands = await fromAbout(stage, { script: vault(stage.who) })
      await hands.follow('back', onAbout, onForm)
      await hands.rest(1200, 2500)
      await hands.click('email')
      await hands.rest(1200, 2000)
      await finish(stage, hands, 300, 700)
    },
  },
  {
    name: 'paste',
    what: 'Chromium; writes everything in one field, cuts it out and pastes it where it belongs',
    address: 'school',
    async visit(stage) {
      openChromium(stage)
      const hands = stage.hands()
      await stage.customer.layout()
      await hands.rest(900, 2000)
      for (const id of ['email', 'name']) {
        await hands.click('comment')
        await hands.type(stage.who[id])
        await hands.tap('a', 'Control')
        await hands.tap('x', 'Control')
        await hands.click(id)
        await hands.tap('v', 'Control')
        await hands.rest(300, 700)
      }
      await finish(stage, hands, 200, 500)
    },
  },
  {
    name: 'back and forward',
    what: 'Chromium; reads another page of the site, goes back, forward and back again before filling in',
    async visit(stage) {
      openChromium(stage)
      const { customer } = stage
      const hands = stage.hands()
      await hands.follow('about', undefined, onAbout)
      await hands.rest(1200, 2500)
      for (const key of ['Left', 'Right', 'Left']) {
        customer.forget()
        await hands.tap(key, 'Alt')
        await customer.layout(key === 'Left' ? undefined : onAbout)
        await hands.rest(500, 1200)
      }
      await fillByMouse(stage, hands)
    },
  },
  {
    name: 'reduced motion, zoom 200 %',
    what: 'Chromium; prefers reduced motion, zooms in with Ctrl and plus, scrolls with the wheel',
    async visit(stage) {
      openChromium(stage, { args: ['--force-prefers-reduced-motion'] })
      const hands = stage.hands()
      await stage.customer.layout()
      await hands.rest(600, 1200)
      for (let step = 0; step < 5; step++) {
        await hands.tap('+', 'Control')
        await hands.rest(150, 350)
      }
      await stage.customer.layout(({ ratio }) => ratio === 2)
      await fillByMouse(stage, hands)
    },
  },
  {
    name: 'one tap',
    what: 'Chromium on a touch screen; a form of one button, which is tapped once, with nothing to type or to choose',
    screen: 'touch',
    visit: (stage) => voteByTap(stage),
  },
  {
    name: 'voice-like input',
    what: 'Chromium; the pointer jumps to the middle of what is named and clicks, as programs for voice control do; a sentence comes word by word without a key, as voice typing brings it; a password manager fills in name and email',
    async visit(stage) {
      const { customer, dice, who } = stage
      const { x } = stage.display
      const hands = await fromAbout(stage, { script: `${vault(who)}\n${dictation(who.comment)}` })
      const say = async (id, suits) => {
        await hands.rest(1200, 2600)
        const { left, top, width, height } = onScreen(await customer.layout(suits, 40_000), id)
        x.move(left + width / 2, top + height / 2)
        x.click(dice.between(60, 160), dice.between(60, 110))
        await x.done()
      }
      await say('back', onAbout)
      await customer.layout()
      await say('email')
      await say('comment')
      await customer.layout(({ lengths }) => lengths[2] >= who.comment.length, 20_000)
      await say('terms')
      await say('send')
      await customer.form()
    },
  },
].map((person) => ({ kind: 'person', screen: true, ...person }))
