import { freePort } from '../../../test/support/ports.mjs'
import { webkitEnvironment } from '../browsers.mjs'
import { home, startAsVisitor } from '../screen/account.mjs'
import { until } from '../../stand/processes.mjs'

/** @see https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** WebKitGTK driven by WebDriver, as Debian has it. */
export async function driveWebkit(stage) {
  const own = home()
  const port = await freePort()
  const args = [`--port=${port}`, '--host=127.0.0.1']
  startAsVisitor(stage, 'WebKitWebDriver', args, { own, env: webkitEnvironment(own) })
  const base = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(`${base}/status`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'WebKitWebDriver',
    20_000,
  )
  const { sessionId } = await ask(`${base}/session`, { capabilities: {} })
  const session = `${base}/session/${sessionId}`
  const find = async (selector) =>
    (await ask(`${session}/element`, { using: 'css selector', value: selector }))[ELEMENT]
  return {
    open: (url) => ask(`${session}/url`, { url }),
    click: async (selector) => ask(`${session}/element/${await find(selector)}/click`, {}),
    type: async (selector, text) => ask(`${session}/element/${await find(selector)}/value`, { text }),
  }
}

async function ask(url, body) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const { value } = await answer.json()
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`)
  return value
}
