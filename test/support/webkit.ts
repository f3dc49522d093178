import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Commands, type DrivenBrowser, drivenBrowser, pause, type Send } from './driven-browser.ts'
import { freePort } from './ports.mjs'
import { needProgram } from './programs.mjs'
import { environmentOf, startScreen } from './screen.ts'

const START_MS = 60_000
/** Paths below the session. @see https://www.w3.org/TR/webdriver2/#endpoints */
const COMMANDS: Commands = {
  find: 'element',
  act: 'actions',
  script: 'execute/sync',
  navigate: 'url',
  back: 'back',
  click: 'element/ID/click',
  keys: 'element/ID/value',
}

/**
 * Starts the distribution's WebKitGTK with its MiniBrowser, driven by WebDriver, on an X server of its own: it has no
 * mode without a window.
 *
 * @param environment more variables, such as those of JavaScriptCore: `JSC_useJIT`.
 */
export async function startWebkit(environment: Readonly<Record<string, string>> = {}): Promise<DrivenBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'hv-webkit-'))
  const screen = await startScreen()
  const port = await freePort()
  const driver = spawn(needProgram('webkit'), [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...environmentOf(screen.display, home), ...environment },
    stdio: 'ignore',
    // So that MiniBrowser and its processes end with the driver.
    detached: true,
  })
  const ended = once(driver, 'close')
  const base = `http://127.0.0.1:${port}`
  await answers(base, driver)
  const { sessionId } = (await ask('POST', `${base}/session`, {
    capabilities: {},
  })) as { sessionId: string }
  const session = `${base}/session/${sessionId}`

  const send: Send = (name, parameters) => {
    const { id, ...rest } = parameters as { id?: string }
    return ask('POST', `${session}/${id === undefined ? name : name.replace('ID', id)}`, rest)
  }
  return drivenBrowser('WebKit', send, COMMANDS, async () => {
    await ask('DELETE', session).catch(() => {})
    try {
      process.kill(-driver.pid!, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
    await ended
    await screen.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
}

/** @throws {Error} with the driver's own words. */
async function ask(method: 'POST' | 'DELETE', url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: unknown }
  if (answer.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${new URL(url).pathname.split('/').slice(3).join('/')}: ${error}: ${message}`)
}

async function answers(base: string, driver: ChildProcess): Promise<void> {
  for (let waited = 0; waited < START_MS; waited += 100) {
    if (driver.exitCode !== null) throw new Error(`WebKitWebDriver ended at once, with ${driver.exitCode}`)
    const status = await fetch(`${base}/status`).catch(() => undefined)
    if (status?.ok) return
    await pause(100)
  }
  throw new Error('WebKitWebDriver did not answer')
}
