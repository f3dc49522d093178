import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeLater, newFolder } from './close-later.ts'
import { type DrivenBrowser, untilTrue } from './driven-browser.ts'
import { freePort } from './ports.mjs'
import { needProgram } from './programs.mjs'
import { listening } from './redis.ts'
import { environmentOf, startScreen } from './screen.ts'

/** The key under which WebDriver hands out elements. @see https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/**
 * Starts the distribution's WebKitGTK with its MiniBrowser, driven by WebDriver, on its own X server: it has no
 * mode without a window.
 *
 * @param environment more variables, such as those of JavaScriptCore: `JSC_useJIT`.
 */
export async function startWebkit(
  environment: Readonly<Record<string, string>> = {},
): Promise<DrivenBrowser> {
  const [home, display] = [newFolder(), await startScreen()]
  const port = await freePort()
  const driver = spawn(needProgram('webkit'), [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...environmentOf(display, home), ...environment },
    stdio: 'ignore',
    // So that MiniBrowser and its processes end with the driver.
    detached: true,
  })
  const ended = once(driver, 'close')
  const base = `http://127.0.0.1:${port}`
  await listening(port)
  const { sessionId } = (await ask('POST', `${base}/session`, { capabilities: {} })) as {
    sessionId: string
  }
  const session = `${base}/session/${sessionId}`

  const send = (path: string, parameters: object) => ask('POST', `${session}/${path}`, parameters)
  const find = async (selector: string): Promise<string> => {
    const found = await send('element', { using: 'css selector', value: selector })
    return (found as Record<string, string>)[ELEMENT]!
  }
  const act = (source: object) => send('actions', { actions: [source] })
  const run: DrivenBrowser['run'] = (body, ...values) =>
    send('execute/sync', { script: body, args: values })
  const browser: DrivenBrowser = {
    run,
    open: async (url) => void (await send('url', { url })),
    until: (expression) => untilTrue(run, expression),
    type: async (selector, text) =>
      void (await send(`element/${await find(selector)}/value`, { text })),
    async keys(text) {
      const strokes = [...text].flatMap((value) =>
        ['keyDown', 'keyUp'].map((type) => ({ type, value })),
      )
      await act({ type: 'key', id: 'keys', actions: strokes })
    },
    click: async (selector) => void (await send(`element/${await find(selector)}/click`, {})),
    async doubleClick(selector) {
      const move = {
        type: 'pointerMove',
        x: 0,
        y: 0,
        duration: 0,
        origin: { [ELEMENT]: await find(selector) },
      }
      const press = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 }))
      await act({ type: 'pointer', id: 'mouse', actions: [move, ...press, ...press] })
    },
    back: async () => void (await send('back', {})),
    async close() {
      await ask('DELETE', session).catch(() => {})
      try {
        process.kill(-driver.pid!, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
      await ended
    },
  }
  return closeLater(browser, (it) => it.close())
}

/** @throws {Error} with the driver's own words. */
async function ask(method: 'POST' | 'DELETE', url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: unknown }
  if (answer.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${new URL(url).pathname.split('/').slice(3).join('/')}: ${error}: ${message}`)
}
