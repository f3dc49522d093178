/** AI agents: a fixed plan in place of the model, which thinks before each action; all else is the program that drives. */
import { fileURLToPath } from 'node:url'
import puppeteer from 'puppeteer-core'
import { byAccessibility } from '../bots/accessibility-bus.mjs'
import { CHROMIUM, WINDOW } from '../bots/chromium.mjs'
import { fillWithPuppeteer } from '../bots/drive.mjs'
import { mcpTools, reference } from '../bots/mcp.mjs'
import { robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { handOf } from '../hands/hand.mjs'
import { fillInTurn } from '../person/fill.mjs'
import { pause } from '../../stand/processes.mjs'

const file = (name, path) => fileURLToPath(new URL(path, import.meta.resolve(`${name}/package.json`)))

/** Milliseconds: the median of how long a model thinks about its next action, and the pause before each screenshot. */
const MEDIAN = 2500
const SCREENSHOT = 2000
/** Spread of the logarithm: one answer in twenty takes three times the median. */
const SPREAD = 0.67
/** Waits as a model does before its next action: log-normal, as the gaps between actions of agents are. */
const thinking =
  (dice, { screenshot = false } = {}) =>
  () =>
    pause(Math.min(12_000, MEDIAN * Math.exp(SPREAD * dice.bell())) + (screenshot ? SCREENSHOT : 0))

/** The parts of the form, by the names that a model reads in a tree of roles and names. */
export const NAMES = {
  name: 'Name',
  email: 'Email',
  comment: 'How did you hear of us',
  terms: 'I agree',
  send: 'Sign up',
}

/** A thought, then a whole field; a thought, then a press. */
function actInTurn(stage, { type, press }) {
  const think = thinking(stage.dice)
  return fillInTurn(stage, {
    enter: think,
    type: (text, id) => type(NAMES[id], text),
    click: (id) => think().then(() => press(id === 'terms' ? 'checkbox' : 'button', NAMES[id])),
  })
}

/** By a pointer and a keyboard, with a thought before each click and each text. */
async function pointAndType(stage, before, hands) {
  await stage.customer.layout()
  await fillInTurn(stage, { ...hands, before })
}

export default [
  {
    name: 'agent: accessibility tree',
    kind: 'inseparable',
    what: 'Chromium without a debugger; a fixed plan in place of the model thinks (log-normal, median 2.5 s), finds fields and buttons by role and name on the accessibility bus (AT-SPI), focuses and presses them by their actions, and lets the bus type; no pointer at all. Assistive technology presses so, and a password manager’s auto-type types so: a rule against it would refuse these people',
    needs: ['dbus-daemon'],
    async visit(stage) {
      const act = await byAccessibility(stage)
      await stage.customer.layout()
      await actInTurn(stage, {
        type: (name, text) => act({ role: 'entry', name, text }),
        press: (role, name) => act({ role: role === 'checkbox' ? 'check box' : 'push button', name }),
      })
    },
  },
  {
    name: 'agent: computer use with human-like hands',
    kind: 'inseparable',
    what: 'the same plan and the same thinking, but paths and rhythms from a model of hands, through the X server',
    async visit(stage) {
      openChromium(stage)
      await pointAndType(stage, thinking(stage.dice), stage.hands({}, handOf(`robot ${stage.dice.next()}`)))
    },
  },
  {
    name: 'agent: computer use',
    what: 'a browser without a debugger; a fixed plan in place of the model, which looks at a screenshot and thinks (log-normal, median 2.5 s) before each action; the pointer jumps, keys come 12 ms apart in groups of 50, as the published reference tool does',
    async visit(stage) {
      openChromium(stage)
      await pointAndType(stage, thinking(stage.dice, { screenshot: true }), robot(stage))
    },
  },
  {
    name: 'agent: Chrome DevTools MCP',
    what: 'chrome-devtools-mcp with its defaults, a window; a fixed plan in place of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `fill` and `click`',
    async visit(stage) {
      const program = file('chrome-devtools-mcp', 'build/src/bin/chrome-devtools-mcp.js')
      const options = ['--executablePath', CHROMIUM, '--isolated', '--no-usage-statistics', '--no-performance-crux']
      const switches = ['--no-sandbox', ...WINDOW].map((arg) => `--chromeArg=${arg}`)
      const call = await mcpTools(stage, program, [...options, ...switches])
      await call('navigate_page', { pageId: 1, type: 'url', url: stage.url })
      const page = await call('take_snapshot', { pageId: 1 })
      const uid = (role, name) => reference(page, new RegExp(`uid=(\\w+) ${role} "${name}`))
      await actInTurn(stage, {
        type: (name, value) => call('fill', { pageId: 1, uid: uid('textbox', name), value }),
        press: (role, name) => call('click', { pageId: 1, uid: uid(role, name) }),
      })
    },
  },
  {
    name: 'agent: Playwright MCP',
    what: '@playwright/mcp with its defaults, a window; a fixed plan in place of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `browser_type` and `browser_click`',
    async visit(stage) {
      const options = ['--browser', 'chrome', '--executable-path', CHROMIUM, '--no-sandbox', '--isolated']
      const call = await mcpTools(stage, file('@playwright/mcp', 'cli.js'), options)
      await call('browser_navigate', { url: stage.url })
      const page = await call('browser_snapshot')
      const target = (role, name) => reference(page, new RegExp(`${role} "${name}[^"]*"[^\\n]*\\[ref=(\\w+)\\]`))
      await actInTurn(stage, {
        type: (name, text) => call('browser_type', { target: target('textbox', name), text }),
        press: (role, name) => call('browser_click', { target: target(role, name) }),
      })
    },
  },
  {
    name: 'agent: Firefox by WebDriver BiDi',
    what: 'Firefox ESR, a window, driven by Puppeteer over WebDriver BiDi; a fixed plan in place of the model thinks (log-normal, median 2.5 s) before each click and each text',
    needs: ['firefox-esr'],
    async visit(stage) {
      const browser = await puppeteer.launch({
        browser: 'firefox',
        executablePath: '/usr/bin/firefox-esr',
        headless: false,
        defaultViewport: null,
        env: { ...process.env, DISPLAY: stage.display.name },
      })
      stage.defer(() => browser.close())
      const [page] = await browser.pages()
      await fillWithPuppeteer(stage, page, { delay: 12, before: thinking(stage.dice) })
    },
  },
].map((agent) => ({ kind: 'bot', isAgent: true, screen: true, ...agent }))
