import { join } from 'node:path'
import { openChromium } from '../browsers.mjs'
import { account, home } from '../screen/account.mjs'
import { start, until } from '../../stand/processes.mjs'

/** Debian's own Python, whose packages have the bindings. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = join(import.meta.dirname, 'at-spi.py')

/**
 * Chromium on a session bus of its own, and a program beside it that acts by the accessibility tree; nothing is attached to
 * the browser.
 */
export async function byAccessibility(stage) {
  const { display, defer } = stage
  const own = home()
  const bare = { ...own.env(display), XDG_RUNTIME_DIR: own.runtime() }
  const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address'], {
    ...account,
    cwd: own.folder,
    env: bare,
  })
  defer(async () => {
    await bus.stop()
    own.remove()
  })
  const address = await until(() => /^unix:\S+/m.exec(bus.said())?.[0], 'the session bus', 10_000)
  const env = { ...bare, DBUS_SESSION_BUS_ADDRESS: address, GNOME_ACCESSIBILITY: '1' }
  const { DBUS_SESSION_BUS_ADDRESS, GNOME_ACCESSIBILITY, XDG_RUNTIME_DIR } = env
  openChromium(stage, {
    args: ['--force-renderer-accessibility'],
    env: { DBUS_SESSION_BUS_ADDRESS, GNOME_ACCESSIBILITY, XDG_RUNTIME_DIR },
  })
  const hand = start(PYTHON, [PROGRAM], { ...account, cwd: own.folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  defer(() => hand.stop())
  let answers = ''
  hand.child.stdout.on('data', (text) => (answers += text))
  let asked = 0
  return async (order) => {
    hand.child.stdin.write(`${JSON.stringify(order)}\n`)
    const number = asked++
    const answer = await until(() => answers.split('\n').slice(0, -1)[number], 'the accessibility bus', 30_000)
    if (answer !== 'done') throw new Error(`${order.role} ${order.name}: ${answer}`)
  }
}
