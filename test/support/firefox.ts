import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from './install.ts'

/** The distribution's Firefox, driven through Marionette, the protocol it has built in; Playwright wants its own build. */
export interface Firefox {
  open(url: string): Promise<void>
  /** Runs the body of a function in the page. @returns what it returns, as JSON. @throws {Error} what it throws. */
  run(body: string, ...values: readonly unknown[]): Promise<unknown>
  /** Asks until the expression is true. @throws {Error} after 20 s, with the expression. */
  until(expression: string): Promise<void>
  /** Real key strokes into an element. */
  type(selector: string, text: string): Promise<void>
  /** Real key strokes into whatever has the focus; `KEYS` names those that write nothing. */
  keys(text: string): Promise<void>
  /** A real click. */
  click(selector: string): Promise<void>
  doubleClick(selector: string): Promise<void>
  back(): Promise<void>
  close(): Promise<void>
}

/** Nothing is fetched but what the page asks for, and nothing is asked of us. */
const PREFS = {
  'marionette.port': 0,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'services.settings.server': 'http://127.0.0.1:1/',
  'extensions.update.enabled': false,
  'app.normandy.enabled': false,
}
const START_MS = 60_000
const WAIT_MS = 20_000
/** The key under which WebDriver hands out elements. @see https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** @see https://www.w3.org/TR/webdriver2/#keyboard-actions */
export const KEYS = { tab: '\uE004', enter: '\uE007' } as const

/** @param prefs more settings of the profile. */
export async function startFirefox(prefs: Record<string, string | number | boolean> = {}): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'hv-firefox-'))
  const lines = Object.entries({ ...PREFS, ...prefs }).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--marionette', '--no-remote', '--profile', profile]
  const child = spawn(needProgram('firefox'), args, { env: { ...process.env, HOME: profile }, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const { socket, send } = await marionette(join(profile, 'MarionetteActivePort'), child)
  await send('WebDriver:NewSession', {})

  const find = async (selector: string): Promise<{ id: string }> => {
    const found = await send('WebDriver:FindElement', { using: 'css selector', value: selector })
    return { id: (found as { value: Record<string, string> }).value[ELEMENT]! }
  }
  const act = (source: object): Promise<void> => send('WebDriver:PerformActions', { actions: [source] }).then(() => {})
  async function run(body: string, ...values: readonly unknown[]): Promise<unknown> {
    return ((await send('WebDriver:ExecuteScript', { script: body, args: values })) as { value: unknown }).value
  }
  return {
    run,
    open: (url) => send('WebDriver:Navigate', { url }).then(() => {}),
    async until(expression) {
      for (let waited = 0; waited < WAIT_MS; waited += 50) {
        if (await run(`return Boolean(${expression})`)) return
        await pause(50)
      }
      throw new Error(`in Firefox this did not become true: ${expression}`)
    },
    type: async (selector, text) => void (await send('WebDriver:ElementSendKeys', { ...(await find(selector)), text })),
    keys: (text) => act({ type: 'key', id: 'keys', actions: [...text].flatMap(stroke) }),
    click: async (selector) => void (await send('WebDriver:ElementClick', await find(selector))),
    async doubleClick(selector) {
      const move = { type: 'pointerMove', x: 0, y: 0, duration: 0, origin: { [ELEMENT]: (await find(selector)).id } }
      const press = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await act({ type: 'pointer', id: 'mouse', actions: [move, ...press, ...press] })
    },
    back: () => send('WebDriver:Back', {}).then(() => {}),
    async close() {
      await send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => {})
      socket.destroy()
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(timer)
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

const stroke = (value: string): object[] => [
  { type: 'keyDown', value },
  { type: 'keyUp', value },
]

type Send = (name: string, parameters: object) => Promise<unknown>
type Packet = [type: number, id: number, error: { error: string; message: string } | null, result: unknown]

/** Packets are `length:json`, both ways; the first one, from Firefox, only says hello. */
async function marionette(portFile: string, child: ChildProcess): Promise<{ socket: Socket; send: Send }> {
  const socket = connect({ host: '127.0.0.1', port: await portIn(portFile, child) })
  const waiting = new Map<number, (packet: Packet) => void>()
  let received = Buffer.alloc(0)
  let lastId = 0

  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || received.length < end) return
      const packet = JSON.parse(received.subarray(colon + 1, end).toString()) as Packet
      received = received.subarray(end)
      if (Array.isArray(packet)) waiting.get(packet[1])?.(packet)
    }
  })
  const lost = (): void => {
    for (const [id, settle] of waiting) settle([1, id, { error: 'lost', message: 'Firefox has gone' }, undefined])
  }
  socket.on('error', lost)
  socket.on('close', lost)

  return {
    socket,
    send: (name, parameters) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        const text = JSON.stringify([0, id, name, parameters])
        waiting.set(id, ([, , error, result]) => {
          waiting.delete(id)
          if (error) reject(new Error(`${name}: ${error.error}: ${error.message}`))
          else resolve(result)
        })
        socket.write(`${Buffer.byteLength(text)}:${text}`)
      }),
  }
}

/** @throws {Error} when Firefox ends, or has not named its port after a minute. */
async function portIn(file: string, child: ChildProcess): Promise<number> {
  for (let waited = 0; waited < START_MS; waited += 100) {
    if (child.exitCode !== null) throw new Error(`Firefox ended at once, with ${child.exitCode}`)
    const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (port > 0) return port
    await pause(100)
  }
  child.kill('SIGKILL')
  throw new Error('Firefox did not open its Marionette port')
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
