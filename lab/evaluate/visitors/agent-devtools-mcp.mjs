import { fileURLToPath } from 'node:url'
import { CHROMIUM, WINDOW } from '../bots/chromium.mjs'
import { FIELDS, thinking } from '../bots/thinking.mjs'
import { mcpTools, reference } from '../bots/mcp.mjs'

const SERVER = fileURLToPath(
  new URL('build/src/bin/chrome-devtools-mcp.js', import.meta.resolve('chrome-devtools-mcp/package.json')),
)

const OPTIONS = ['--executablePath', CHROMIUM, '--isolated', '--no-usage-statistics', '--no-performance-crux']
const SWITCHES = ['--no-sandbox', ...WINDOW].map((arg) => `--chromeArg=${arg}`)

export default {
  name: 'agent: Chrome DevTools MCP',
  kind: 'bot',
  isAgent: true,
  what: 'chrome-devtools-mcp with its defaults, a window; a fixed plan in place of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `fill` and `click`',
  screen: true,
  async visit(stage) {
    const call = await mcpTools(stage, SERVER, [...OPTIONS, ...SWITCHES])
    const think = thinking(stage.dice)
    await call('navigate_page', { pageId: 1, type: 'url', url: stage.url })
    const page = await call('take_snapshot', { pageId: 1 })
    const uid = (role, name) => reference(page, new RegExp(`uid=(\\w+) ${role} "${name}`))
    for (const [id, name] of FIELDS) {
      await think()
      await call('fill', { pageId: 1, uid: uid('textbox', name), value: stage.who[id] })
    }
    await think()
    await call('click', { pageId: 1, uid: uid('checkbox', 'I agree') })
    await think()
    await call('click', { pageId: 1, uid: uid('button', 'Sign up') })
    await stage.customer.form()
  },
}
