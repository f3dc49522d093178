import { promisify } from 'node:util'
import x11 from 'x11'

const [KEY, BUTTON, MOTION] = [2, 4, 6]

/**
 * Input through the XTEST extension, as a device's driver would give it to the server.
 *
 * Every input says how long to wait after the one before, in milliseconds; the server keeps these times itself, so that they do
 * not depend on what this process is doing.
 */
export async function xClient(display) {
  const { client, screen, min_keycode: firstKey, max_keycode: lastKey } = await open({ display: `:${display}` })
  const [{ root }] = screen
  const xtest = await promisify(client.require.bind(client))('xtest')
  const problems = []
  client.on('error', ({ message }) => problems.push(message))
  const ended = new Promise((_, reject) => client.on('end', () => reject(new Error('the X server has gone'))))
  ended.catch(() => {})
  const ask = (request, ...args) => Promise.race([promisify(client[request].bind(client))(...args), ended])

  const fake = (type, detail, wait, x = 0, y = 0) =>
    xtest.FakeInput(
      type,
      detail,
      Math.max(0, Math.round(wait)),
      type === MOTION ? root : 0,
      Math.round(x),
      Math.round(y),
    )

  return {
    move: (x, y, wait = 0) => fake(MOTION, 0, wait, x, y),
    button: (number, isDown, wait = 0) => fake(isDown ? BUTTON : BUTTON + 1, number, wait),
    key: (keycode, isDown, wait = 0) => fake(isDown ? KEY : KEY + 1, keycode, wait),
    /** Waits until the server has done everything. */
    async done() {
      await ask('GetInputFocus')
      if (problems.length > 0) throw new Error(problems.join('; '))
    },
    /** Where the pointer is, in pixels of the screen. */
    async pointer() {
      const { rootX, rootY } = await ask('QueryPointer', root)
      return { x: rootX, y: rootY }
    },
    /** The keyboard: for each keycode its symbols, the plain one first, then the one with Shift. */
    async keyboard() {
      const symbols = await ask('GetKeyboardMapping', firstKey, lastKey - firstKey + 1)
      return new Map(symbols.map((each, i) => [firstKey + i, each.slice(0, 2)]))
    },
    /** Where the window is that has the focus, in pixels of the screen: for a browser that does not tell its page. */
    async activeWindow() {
      const atom = await ask('InternAtom', false, '_NET_ACTIVE_WINDOW')
      const { data } = await ask('GetProperty', 0, root, atom, 0, 0, 1)
      const window = data.readUInt32LE(0)
      const { width, height } = await ask('GetGeometry', window)
      const { destX: left, destY: top } = await ask('TranslateCoordinates', window, root, 0, 0)
      return { left, top, width, height }
    },
    close: () => client.terminate(),
  }
}

const open = promisify(x11.createClient)
