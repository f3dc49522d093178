import { fileURLToPath } from 'node:url'
import { CHROMIUM } from '../bots/chromium.mjs'
import { FIELDS, thinking } from '../bots/thinking.mjs'
import { mcpTools, reference } from '../bots/mcp.mjs'

const SERVER = fileURLToPath(new URL('cli.js', import.meta.resolve('@playwright/mcp/package.json')))

const OPTIONS = ['--browser', 'chrome', '--executable-path', CHROMIUM, '--no-sandbox', '--isolated']

export default {
  name: 'agent: Playwright MCP',
  kind: 'bot',
  isAgent: true,
  what: '@playwright/mcp with its defaults, a window; a fixed plan in place of the model reads the snapshot, thinks (log-normal, median 2.5 s) and calls `browser_type` and `browser_click`',
  screen: true,
  async visit(stage) {
    const call = await mcpTools(stage, SERVER, OPTIONS)
    const think = thinking(stage.dice)
    await call('browser_navigate', { url: stage.url })
    const page = await call('browser_snapshot')
    const target = (role, name) => reference(page, new RegExp(`${role} "${name}[^"]*"[^\\n]*\\[ref=(\\w+)\\]`))
    for (const [id, name] of FIELDS) {
      await think()
      await call('browser_type', { target: target('textbox', name), text: stage.who[id] })
    }
    await think()
    await call('browser_click', { target: target('checkbox', 'I agree') })
    await think()
    await call('browser_click', { target: target('button', 'Sign up') })
    await stage.customer.form()
  },
}
