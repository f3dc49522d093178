import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, start, until } from '../stand/processes.mjs'
import { keyboard } from './keyboard.mjs'
import { xClient } from './x-client.mjs'

/** A desktop as people have: a window manager, and room for a task bar at the bottom. */
const OPENBOX = `<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
<placement><policy>Smart</policy></placement>
<margins><top>0</top><bottom>44</bottom><left>0</left><right>0</right></margins>
<focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
<mouse><context name="Client"><mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
</openbox_config>
`

/** Xvfb with openbox on a free display, and a client that has its hands on mouse and keyboard. */
export async function startDisplay({ width = 1920, height = 1080 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hv-display-'))
  const screen = ['-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-displayfd', '3']
  const server = start('Xvfb', screen, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  let number = ''
  server.child.stdio[3].setEncoding('utf8').on('data', (text) => (number += text))
  await until(() => number.endsWith('\n'), 'Xvfb', 15_000)
  const display = Number(number)
  const name = `:${display}`
  writeFileSync(join(folder, 'rc.xml'), OPENBOX)
  const manager = start('openbox', ['--config-file', join(folder, 'rc.xml')], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, DISPLAY: name },
  })
  await pause(300)
  const x = await xClient(display)
  return {
    name,
    width,
    height,
    x,
    key: keyboard(await x.keyboard()),
    async stop() {
      x.close()
      await manager.stop()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
