/** AI agents: a fixed plan instead of the model, which thinks before each action; all else is the program that drives. */
import { fileURLToPath } from 'node:url'
import { byAccessibility } from '../bots/accessibility-bus.mjs'
import { CHROMIUM, WINDOW } from '../bots/chromium.mjs'
import { fillWithPuppeteer } from '../bots/drive.mjs'
import { firefoxByBidi } from '../bots/firefox.mjs'
import { fillByLines, loadByLines } from '../bots/line-driver.mjs'
import { pythonDriver } from '../bots/python-driver.mjs'
import { stagehandDriver } from '../bots/stagehand-driver.mjs'
import { robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers.mjs'
import { handOf } from '../hands/hand.mjs'
import { fillInTurn } from '../person/fill.mjs'
import { folder } from '../../stand/folder.mjs'
import { pause, start } from '../../stand/processes.mjs'
import { SILENT_THRESHOLD } from '../../stand/service.mjs'

const file = (name, path) =>
  fileURLToPath(new URL(path, import.meta.resolve(`${name}/package.json`)))

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

/**
 * A server of the Model Context Protocol on standard input and output, as an agent's program starts one; the agent is ours. What it
 * returns calls a tool, and gives the text that the model would read.
 *
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
async function mcpTools({ display, defer }, program, args) {
  const own = folder('hv-mcp')
  const server = start(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: own.path,
    env: { ...process.env, HOME: own.path, DISPLAY: display.name },
  })
  defer(async () => {
    await server.stop()
    own.remove()
  })
  const waiting = new Map()
  let rest = ''
  server.child.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines.filter((each) => each.startsWith('{'))) {
      const { id, result, error } = JSON.parse(line)
      waiting.get(id)?.(
        error ? { isError: true, content: [{ type: 'text', text: error.message }] } : result,
      )
      waiting.delete(id)
    }
  })
  let number = 0
  const send = (message) =>
    server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = ++number
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fixed-plan', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return async (tool, given = {}) => {
    const { content, isError } = await ask('tools/call', { name: tool, arguments: given })
    const text = content.map((part) => part.text ?? '').join('\n')
    if (isError) throw new Error(`${tool}: ${text.slice(0, 300)}`)
    return text
  }
}

/**
 * What a model would point at in a snapshot of the page: the reference beside a role and a name. `what` matches a line
 * that names it; its first group is the reference.
 */
function reference(snapshot, what) {
  const found = what.exec(snapshot)?.[1]
  if (!found) throw new Error(`the snapshot has no ${what}: ${snapshot.slice(0, 400)}`)
  return found
}

/** The parts of the form, by the names that a model reads in a tree of roles and names. */
export const NAMES = {
  name: 'Name',
  email: 'Email',
  comment: 'How did you hear of us',
  terms: 'I agree',
  send: 'Sign up',
  step: 'Please confirm',
}

/** The role and the name of what is pressed. */
function partOf({ customer: { box } }, id) {
  if (id === box?.id) return [box.role, box.label]
  return [id === 'terms' ? 'checkbox' : 'button', NAMES[id]]
}

/** A thought, then a whole field; a thought, then a press. */
function actInTurn(stage, { type, press }) {
  const think = thinking(stage.dice)
  return fillInTurn(stage, {
    enter: think,
    type: (text, id) => type(NAMES[id], text),
    click: (id) => think().then(() => press(...partOf(stage, id))),
  })
}

/** By a pointer and a keyboard, with a thought before each click and each text. */
async function pointAndType(stage, before, hands) {
  await stage.customer.layout()
  await fillInTurn(stage, { ...hands, before })
}

/** Agents that are programs of their own, with all that they do to a browser; `how` says how each is started. */
const APART = [
  {
    name: 'browser-use',
    what: 'browser-use on this machine, a window',
    acts: '`input` and `click` of its tools',
    // It attaches to the browser with nothing that a page sees.
    silentKind: 'inseparable',
    how: () => pythonDriver('browser-use'),
  },
  {
    name: 'Stagehand',
    what: 'Stagehand on this machine, a window, with its extension in the browser',
    acts: '`act` with `fill` and `click`',
    how: stagehandDriver,
  },
].flatMap(({ name, what, acts, silentKind, how }) => [
  {
    name: `agent: ${name}`,
    what: `${what}; a fixed plan instead of the model thinks (log-normal, median 2.5 s) and calls ${acts}`,
    visit: (stage) => fillByLines(stage, how(), { think: thinking(stage.dice) }),
  },
  {
    name: `untouched, agent: ${name}`,
    ...(silentKind && { kind: silentKind }),
    threshold: SILENT_THRESHOLD,
    what: `a page that asks for a token when it is loaded, by ${name}; the step is pressed by its mouse`,
    visit: (stage) => loadByLines(stage, how()),
  },
])

export default [
  ...APART,
  {
    name: 'agent: accessibility tree',
    kind: 'inseparable',
    what: 'Chromium without a debugger; a fixed plan instead of the model thinks (log-normal, median 2.5 s), finds fields and buttons by role and name on the accessibility bus (AT-SPI), focuses and presses them by their actions, and lets the bus type; no pointer at all. Assistive technology presses so, and a password manager’s auto-type types so: a rule against it would refuse these people',
    needs: ['atSpi'],
    async visit(stage) {
      const act = await byAccessibility(stage)
      await stage.customer.layout()
      await actInTurn(stage, {
        type: (name, text) => act({ role: 'entry', name, text }),
        press: (role, name) =>
          act({ role: role === 'checkbox' ? 'check box' : 'push button', name }),
      })
    },
  },
  {
    name: 'agent: computer use with human-like hands',
    kind: 'inseparable',
    what: 'the same plan and the same thinking, but paths and rhythms from a model of hands, through the X server',
    async visit(stage) {
      openChromium(stage)
      await pointAndType(
        stage,
        thinking(stage.dice),
        stage.hands({}, handOf(`robot ${stage.dice.next()}`)),
      )
    },
  },
  {
    name: 'agent: computer use',
    kind: 'stepped',
    what: 'a browser without a debugger; a fixed plan instead of the model, which looks at a screenshot and thinks (log-normal, median 2.5 s) before each action; the pointer jumps, keys come 12 ms apart in groups of 50, as the published reference tool does',
    async visit(stage) {
      openChromium(stage)
      await pointAndType(stage, thinking(stage.dice, { screenshot: true }), robot(stage))
    },
  },
  {
    name: 'agent: Chrome DevTools MCP',
    what: 'chrome-devtools-mcp with its defaults, a window; a fixed plan instead of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `fill` and `click`',
    async visit(stage) {
      const program = file('chrome-devtools-mcp', 'build/src/bin/chrome-devtools-mcp.js')
      const options = [
        '--executablePath',
        CHROMIUM,
        '--isolated',
        '--no-usage-statistics',
        '--no-performance-crux',
      ]
      const switches = ['--no-sandbox', ...WINDOW].map((arg) => `--chromeArg=${arg}`)
      const call = await mcpTools(stage, program, [...options, ...switches])
      await call('navigate_page', { pageId: 1, type: 'url', url: stage.url })
      const uid = async (role, name) => {
        const page = await call('take_snapshot', { pageId: 1 })
        return reference(page, new RegExp(`uid=(\\w+) ${role} "${name}`))
      }
      await actInTurn(stage, {
        type: async (name, value) =>
          call('fill', { pageId: 1, uid: await uid('textbox', name), value }),
        press: async (role, name) => call('click', { pageId: 1, uid: await uid(role, name) }),
      })
    },
  },
  {
    name: 'agent: Playwright MCP',
    what: '@playwright/mcp with its defaults, a window; a fixed plan instead of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `browser_type` and `browser_click`',
    async visit(stage) {
      const options = [
        '--browser',
        'chrome',
        '--executable-path',
        CHROMIUM,
        '--no-sandbox',
        '--isolated',
      ]
      const call = await mcpTools(stage, file('@playwright/mcp', 'cli.js'), options)
      await call('browser_navigate', { url: stage.url })
      const target = async (role, name) => {
        const page = await call('browser_snapshot')
        return reference(page, new RegExp(`${role} "${name}[^"]*"[^\\n]*\\[ref=(\\w+)\\]`))
      }
      await actInTurn(stage, {
        type: async (name, text) =>
          call('browser_type', { target: await target('textbox', name), text }),
        press: async (role, name) => call('browser_click', { target: await target(role, name) }),
      })
    },
  },
  {
    name: 'agent: Firefox by WebDriver BiDi',
    what: 'Firefox ESR, a window, driven by Puppeteer over WebDriver BiDi; a fixed plan instead of the model thinks (log-normal, median 2.5 s) before each click and each text',
    needs: ['firefox'],
    async visit(stage) {
      const page = await firefoxByBidi(stage)
      await fillWithPuppeteer(stage, page, { delay: 12, before: thinking(stage.dice) })
    },
  },
].map((agent) => ({ kind: 'bot', isAgent: true, screen: true, ...agent }))
