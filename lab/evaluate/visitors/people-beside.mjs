/** People whose surroundings speak against them: open tools, a network that changes, neighbours that are programs. */
import { openChromium } from '../browsers.mjs'
import { fillByKeyboard, fillByMouse, fillByTaps } from '../person/fill.mjs'
import { belowTheBars } from '../person/on-screen.mjs'
import { startAsVisitor } from '../screen/account.mjs'
import { TOUCH_WINDOW } from './people.mjs'
import { voteByTap } from './people-with-ways.mjs'
import programs from './without-browser.mjs'

const NOTHING_TO_SHOW = programs.find(({ name }) => name === 'plain HTTP, nothing to show')

/** Programs whose work is done and whose visits score low, one after the other. */
async function farm(stage, addresses) {
  for (const address of addresses) {
    const { problem } = await stage.beside(NOTHING_TO_SHOW, address)
    if (problem !== undefined) throw new Error(`the neighbour: ${problem}`)
  }
}

async function byKeyboard(stage) {
  openChromium(stage)
  await fillByKeyboard(stage, stage.hands())
}

/** Opens the developer tools beside the page. @returns {Promise<object>} the stage, whose page is where it was before */
export async function withTools(stage) {
  const { customer, display } = stage
  const { outer, inner, ratio } = await customer.layout()
  const mozInner = belowTheBars(outer, inner, ratio).map((n) => n / ratio)
  const keys = ['Control', 'Shift', 'i']
  for (const key of keys) display.x.key(key, true, 60)
  for (const key of keys.toReversed()) display.x.key(key, false, 30)
  await display.x.done()
  const placed = (...how) => customer.layout(...how).then((layout) => ({ ...layout, mozInner }))
  await customer.layout(
    (layout) => layout.inner[0] < inner[0] || layout.inner[1] < inner[1],
    20_000,
  )
  return { ...stage, customer: { ...customer, layout: placed } }
}

const ON_ONE_CORE = ['taskset', '-c', '0']

/** Chromium on one core, which it shares with four programs that never rest. */
function openOnBusyCore(stage) {
  const [program, ...args] = [...ON_ONE_CORE, process.execPath, '--eval', 'for (;;);']
  for (let i = 0; i < 4; i++) startAsVisitor(stage, program, args)
  openChromium(stage, { prefix: ON_ONE_CORE })
}

export default [
  {
    name: 'busy machine',
    what: 'Chromium on one core, which it shares with four programs that never rest: a fifth of a core for everything; by mouse',
    async visit(stage) {
      openOnBusyCore(stage)
      await fillByMouse(stage, stage.hands())
    },
  },
  {
    name: 'busy machine, keyboard only',
    what: 'the same fifth of a core, and no pointer at all',
    async visit(stage) {
      openOnBusyCore(stage)
      await fillByKeyboard(stage, stage.hands())
    },
  },
  {
    name: 'developer tools',
    what: 'Chromium on one core of a busy machine, with its developer tools docked: the customer’s developer, by mouse',
    async visit(stage) {
      openChromium(stage, { prefix: ON_ONE_CORE })
      const beside = await withTools(stage)
      const hands = stage.hands({ customer: beside.customer })
      await hands.rest(1000, 2000)
      await fillByMouse(beside, hands)
    },
  },
  {
    name: 'rotating egress',
    what: 'Chromium, keyboard only, behind a gateway whose next connection leaves through another network: asked for here, solved there',
    solvesFrom: '62.30.4.9',
    visit: byKeyboard,
  },
  {
    name: 'keyboard only, bad neighbour',
    what: 'Chromium; Tab, typing, Space and Enter, at an address from which a program has just made eighteen visits that scored low',
    async visit(stage) {
      await farm(stage, Array(18).fill(stage.edge.address))
      await byKeyboard(stage)
    },
  },
  {
    name: 'one tap, unmeasured engine',
    what: 'a browser that names an engine of which nothing was measured, without Fetch Metadata and client hints (Chromium, whose requests lose them), on a touch screen behind a carrier’s address from which a program has just made twelve visits; a form of one button, which is tapped once',
    screen: 'touch',
    drops: /^sec-/i,
    async visit(stage) {
      await farm(stage, Array(12).fill(stage.edge.address))
      await voteByTap(stage, ['--user-agent=Mozilla/5.0 (X11; Linux x86_64) Otter/1.0.81'])
    },
  },
  {
    name: 'touch, beside a farm',
    what: 'Chromium on a touch screen, in a carrier’s /48 from which a program has just made forty visits, each from another /64',
    screen: 'touch',
    address: '2001:db8:4a:ff01::7',
    async visit(stage) {
      await farm(
        stage,
        Array.from(
          { length: 40 },
          (_, i) => `2001:db8:4a:${(i * 256 + stage.run).toString(16)}::1`,
        ),
      )
      openChromium(stage, { args: TOUCH_WINDOW })
      await fillByTaps(stage)
    },
  },
].map((person) => ({ kind: 'person', screen: true, ...person }))
