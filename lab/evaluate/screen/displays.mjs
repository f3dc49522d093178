import { pause } from '../../stand/processes.mjs'
import { startDisplay } from './display.mjs'

/** The displays of a lane: each kind is started when it is first needed, and again where it has gone meanwhile. */
export function displays() {
  const started = new Map()
  return {
    /** @param {true | 'touch'} kind */
    async of(kind) {
      const size = kind === 'touch' ? { touch: true, width: 1280, height: 800 } : {}
      const before = started.get(kind)
      if (before && (await isAlive(before))) return before
      await before?.stop()
      started.delete(kind)
      // Xorg is slow to start on a busy machine, now and then too slow.
      const display = await startDisplay(size).catch(() => pause(1000).then(() => startDisplay(size)))
      started.set(kind, display)
      return display
    },
    async stop() {
      for (const display of started.values()) await display.stop()
    },
  }
}

/** Whether the X server answers. */
const isAlive = ({ x }) => Promise.race([x.pointer().then(Boolean, () => false), pause(5000).then(() => false)])
