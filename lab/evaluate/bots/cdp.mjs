import { start, until } from '../../stand/processes.mjs'
import { account, home } from '../screen/account.mjs'
import { CHROMIUM } from './chromium.mjs'

/**
 * Chromium with a debugging port and nothing else of a driver: one page session, and not a single domain enabled.
 *
 * @param {object} stage
 * @param {string[]} args
 */
export async function openWithDebugger(stage, args) {
  const own = home()
  const quiet = [
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-quic',
    '--disable-sync',
    '--disable-blink-features=AutomationControlled',
  ]
  const browser = start(
    CHROMIUM,
    [`--user-data-dir=${own.folder}/profile`, '--remote-debugging-port=0', ...quiet, ...args, 'about:blank'],
    { ...account, cwd: own.folder, env: own.env(stage.display) },
  )
  stage.defer(async () => {
    await browser.stop()
    own.remove()
  })
  const listening = await until(
    () => /DevTools listening on ws:\/\/([\d.:]+)\//.exec(browser.said())?.[1],
    'the debugging port',
    20_000,
  )
  const page = await until(
    async () => (await (await fetch(`http://${listening}/json`)).json()).find(({ type }) => type === 'page'),
    'a page',
    10_000,
  )
  const { default: WebSocket } = await import('ws')
  const socket = new WebSocket(page.webSocketDebuggerUrl, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map()
  let lastId = 0
  socket.on('message', (/** @type {Buffer} */ text) => {
    const { id, result, error } = JSON.parse(text.toString('utf8'))
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(error.message))
    else asked?.resolve(result)
  })
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      socket.send(JSON.stringify({ id, method, params }))
    })
}
