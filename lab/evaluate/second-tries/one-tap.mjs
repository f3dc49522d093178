import { openChromium } from '../browsers/chromium.mjs'
import { finger } from '../person/finger.mjs'
import { badNeighbours } from './neighbours.mjs'

const onVote = ({ path }) => path === '/vote'
const isOpen = ({ places }) => places.step !== undefined
/** An engine of which nothing was measured: it names itself, and has neither Fetch Metadata nor client hints. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Otter/1.0.81'

export default {
  name: 'one tap, unmeasured engine',
  kind: 'person',
  what: 'a browser that names an engine of which nothing was measured, without Fetch Metadata and client hints (Chromium, whose requests lose them), on a touch screen behind a carrier’s address from which a program has just made twelve visits; a form of one button, which is tapped once',
  screen: 'touch',
  drops: /^sec-/i,
  async visit(stage) {
    const { customer, dice, display } = stage
    await badNeighbours(stage, 12)
    const args = ['--window-size=1280,756', '--window-position=0,0', `--user-agent=${AGENT}`]
    const browser = openChromium(display, new URL('/vote', stage.url).href, { args })
    stage.defer(browser.close)
    await customer.layout(onVote)
    const hands = stage.hands()
    await hands.rest(1500, 4000)
    const { tap } = finger(display, stage.person(), { dice, customer })
    await tap('send', onVote)
    await customer.layout(isOpen, 60_000)
    await hands.rest(500, 1500)
    await tap('step', isOpen)
    await customer.form(60_000)
  },
}
