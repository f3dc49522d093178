import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../stand/folder.mjs'
import { pause, start, until } from '../../stand/processes.mjs'
import { startTouchServer } from './touch-screen.mjs'
import { xClient } from './x-client.mjs'

/** What a display needs, by the kind that a visitor asks for. */
export const PROGRAMS = { true: ['xvfb', 'openbox'], touch: ['xorg', 'openbox'] }

/** A desktop as people have: a window manager, and room for a task bar at the bottom. */
const OPENBOX = `<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
<placement><policy>Smart</policy></placement>
<margins><top>0</top><bottom>44</bottom><left>0</left><right>0</right></margins>
<focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
<mouse><context name="Client"><mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
</openbox_config>
`

/** A desktop on a display of its own, and a client that has its hands on mouse and keyboard. `touch`: with a touch screen. */
async function startDisplay({ width = 1920, height = 1080, touch = false } = {}) {
  const own = folder('hv-display')
  const server = touch
    ? await startTouchServer({ width, height })
    : await startXvfb({ width, height })
  const name = `:${server.display}`
  writeFileSync(join(own.path, 'rc.xml'), OPENBOX)
  const manager = start('openbox', ['--config-file', join(own.path, 'rc.xml')], {
    env: { PATH: process.env.PATH ?? '', HOME: own.path, DISPLAY: name },
  })
  await pause(300)
  const x = await xClient(server.display)
  return {
    name,
    width,
    height,
    x,
    touch: server.touch,
    async stop() {
      x.close()
      await manager.stop()
      await server.stop()
      own.remove()
    },
  }
}

async function startXvfb({ width, height }) {
  const screen = ['-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-displayfd', '1']
  const server = start('Xvfb', screen)
  const display = await until(() => /^(\d+)\n/m.exec(server.said())?.[1], 'Xvfb', 15_000)
  return { display: Number(display), touch: undefined, stop: () => server.stop() }
}

/** The displays of a lane: each kind is started when it is first needed, and again where it has gone meanwhile. */
export function displays() {
  const started = new Map()
  return {
    async of(kind) {
      const size = kind === 'touch' ? { touch: true, width: 1280, height: 800 } : {}
      const before = started.get(kind)
      if (before && (await isAlive(before))) return before
      await before?.stop()
      started.delete(kind)
      // Xorg is slow to start on a busy machine, now and then too slow.
      const display = await startDisplay(size).catch(() =>
        pause(1000).then(() => startDisplay(size)),
      )
      started.set(kind, display)
      return display
    },
    async stop() {
      for (const display of started.values()) await display.stop()
    },
  }
}

/** Whether the X server answers. */
const isAlive = ({ x }) =>
  Promise.race([x.pointer().then(Boolean, () => false), pause(5000).then(() => false)])
