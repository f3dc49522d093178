import { join } from 'node:path'
import { openChromium } from '../browsers.mjs'
import { home, startAsVisitor } from '../screen/account.mjs'
import { until } from '../../stand/processes.mjs'

/** Debian's own Python, whose packages have the bindings. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = join(import.meta.dirname, 'at-spi.py')

/** Waits for what a program says. @throws {Error} with its last words, when it ends instead */
function untilSaid(program, ask, what) {
  const askIt = () => {
    if (program.child.exitCode !== null)
      throw new Error(`${what}: ${program.said().trim().split('\n').at(-1)}`)
    return ask()
  }
  return until(askIt, what, 30_000)
}

/**
 * Chromium on a session bus of its own, and a program beside it that acts by the accessibility tree; nothing is attached to
 * the browser.
 */
export async function byAccessibility(stage) {
  const own = home()
  const runtime = { XDG_RUNTIME_DIR: own.runtime() }
  const bus = startAsVisitor(stage, 'dbus-daemon', ['--session', '--nofork', '--print-address'], {
    own,
    env: runtime,
  })
  const address = await untilSaid(bus, () => /^unix:\S+/m.exec(bus.said())?.[0], 'the session bus')
  const env = { ...runtime, DBUS_SESSION_BUS_ADDRESS: address, GNOME_ACCESSIBILITY: '1' }
  openChromium(stage, { args: ['--force-renderer-accessibility'], env })
  const hand = startAsVisitor(stage, PYTHON, [PROGRAM], {
    own,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // It may have ended: `untilSaid` says so.
  hand.child.stdin.on('error', () => {})
  let answers = ''
  hand.child.stdout.on('data', (text) => {
    answers += text
  })
  let asked = 0
  return async (order) => {
    hand.child.stdin.write(`${JSON.stringify(order)}\n`)
    const number = asked++
    const answer = await untilSaid(
      hand,
      () => answers.split('\n').slice(0, -1)[number],
      'the accessibility bus',
    )
    if (answer !== 'done') throw new Error(`${order.role} ${order.name}: ${answer}`)
  }
}
