import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Commands, type DrivenBrowser, drivenBrowser, pause, type Send } from './driven-browser.ts'
import { needProgram } from './programs.mjs'

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
const COMMANDS: Commands = {
  find: 'WebDriver:FindElement',
  act: 'WebDriver:PerformActions',
  script: 'WebDriver:ExecuteScript',
  navigate: 'WebDriver:Navigate',
  back: 'WebDriver:Back',
  click: 'WebDriver:ElementClick',
  keys: 'WebDriver:ElementSendKeys',
}
/**
 * Starts the distribution's Firefox, driven through Marionette, the protocol it has built in; Playwright wants its own
 * build.
 *
 * @param prefs more settings of the profile.
 */
export async function startFirefox(prefs: Record<string, string | number | boolean> = {}): Promise<DrivenBrowser> {
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

  // Marionette wraps single values.
  const plain: Send = async (name, parameters) => {
    const answer = await send(name, parameters)
    return answer !== null && typeof answer === 'object' && 'value' in answer ? answer.value : answer
  }
  return drivenBrowser('Firefox', plain, COMMANDS, async () => {
    await send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => {})
    socket.destroy()
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
    rmSync(profile, { recursive: true, force: true })
  })
}

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
