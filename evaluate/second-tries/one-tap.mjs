import { openWebkit } from '../browsers/webkit.mjs'
import { finger } from '../person/finger.mjs'
import { badNeighbours } from './neighbours.mjs'

const onVote = ({ path }) => path === '/vote'
const isOpen = ({ places }) => places.step !== undefined
/** An engine of which nothing was measured: it names itself, and has no Fetch Metadata. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/538.15 (KHTML, like Gecko) Otter/1.0.81'

export default {
  name: 'one tap, unmeasured engine',
  kind: 'person',
  what: 'a WebKitGTK that calls itself Otter and whose requests carry no Fetch Metadata, on a touch screen behind a carrier’s address from which a program has just made twelve visits; a form of one button, which is tapped once',
  screen: 'touch',
  needs: ['WebKitWebDriver'],
  drops: /^sec-fetch-/i,
  async visit(stage) {
    const { customer, dice, display } = stage
    await badNeighbours(stage, 12)
    const browser = openWebkit(display, new URL('/vote', stage.url).href, [`--user-agent=${AGENT}`])
    stage.defer(browser.close)
    await customer.layout(onVote)
    const hands = stage.hands()
    await hands.rest(1500, 4000)
    const { tap } = finger(display, stage.person(), { dice, customer })
    await tap('send', onVote)
    await customer.layout(isOpen, 40_000)
    await hands.rest(500, 1500)
    await tap('step', isOpen)
    await customer.form()
  },
}
