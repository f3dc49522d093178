import { named, xConnection } from './x-connection.mjs'

/** Opcodes of the core protocol. */
const [GET_GEOMETRY, INTERN_ATOM, GET_PROPERTY, QUERY_POINTER, TRANSLATE] = [14, 16, 20, 38, 40]
const [GET_INPUT_FOCUS, GET_KEYBOARD_MAPPING] = [43, 101]
/** Kinds of events. */
const [KEY, BUTTON, MOTION] = [2, 4, 6]
/** Of the XKEYBOARD extension: two requests, the keyboard of the core protocol, and the control for sticky keys. */
const [USE_XKB, SET_CONTROLS, CORE_KEYBOARD, STICKY_KEYS] = [0, 7, 0x100, 1 << 3]

/**
 * A small X client: input through the XTEST extension, as a device's driver would give it to the server.
 *
 * Every input says how many milliseconds to wait after the one before; the server keeps these times itself, so that they do
 * not depend on what this process is doing. X Window System Protocol 11, XTEST Extension Protocol 2.2.
 */
export async function xClient(display) {
  const server = await xConnection(display)
  const { ask, root } = server
  const fake = fakeInput(server, await server.opcodeOf('XTEST'))
  const keycodes = await keycodesOf(server)
  /** Moves a key, which is named by what it types or by its name in `KEYSYMS`. */
  function key(name, isDown, wait = 0) {
    const keycode = keycodes.get(KEYSYMS[name] ?? name.codePointAt(0))
    if (keycode === undefined) throw new Error(`this keyboard cannot type ${JSON.stringify(name)}`)
    fake(isDown ? KEY : KEY + 1, keycode, wait)
  }

  return {
    move: (x, y, wait = 0) => fake(MOTION, 0, wait, { x, y }),
    key,
    tap(name, wait, held) {
      key(name, true, wait)
      key(name, false, held)
    },
    click(wait, held, button = 1) {
      fake(BUTTON, button, wait)
      fake(BUTTON + 1, button, held)
    },
    setStickyKeys: (areOn) => setStickyKeys(server, areOn),
    /** Waits until the server has done everything. @throws {Error} when it refused something */
    async done() {
      await ask(GET_INPUT_FOCUS)
      if (server.problems.length > 0) throw new Error(server.problems.join('; '))
    },
    /** Where the pointer is, in pixels of the screen. */
    async pointer() {
      const answer = await ask(QUERY_POINTER, numbers(root))
      return { x: answer.readInt16LE(16), y: answer.readInt16LE(18) }
    },
    activeWindow: () => activeWindow(server),
    close: server.close,
  }
}

/** Returns a function that makes an input as a device does. `wait`: milliseconds after the input before. */
const fakeInput =
  ({ send, root }, xtest) =>
  (type, detail, wait, { x, y } = { x: 0, y: 0 }) => {
    const body = Buffer.alloc(32)
    body[0] = type
    body[1] = detail
    body.writeUInt32LE(Math.max(0, Math.round(wait)), 4)
    body.writeUInt32LE(type === MOTION ? root : 0, 8)
    body.writeInt16LE(Math.round(x), 20)
    body.writeInt16LE(Math.round(y), 22)
    send(xtest, 2, body)
  }

/** Reads which key types what, by keysym: first without the shift key, then with it. */
async function keycodesOf({ ask, firstKey, lastKey }) {
  const mapping = await ask(
    GET_KEYBOARD_MAPPING,
    Buffer.from([firstKey, lastKey - firstKey + 1, 0, 0]),
  )
  const keycodes = new Map()
  for (const level of [0, 1])
    for (let keycode = firstKey; keycode <= lastKey; keycode++) {
      const symbol = mapping.readUInt32LE(32 + ((keycode - firstKey) * mapping[1] + level) * 4)
      if (!keycodes.has(symbol)) keycodes.set(symbol, keycode)
    }
  return keycodes
}

/** Switches sticky keys on or off, as the settings of a desktop do. X Keyboard Extension, 10.8. */
async function setStickyKeys({ opcodeOf, send }, areOn) {
  const xkb = await opcodeOf('XKEYBOARD')
  send(xkb, USE_XKB, Buffer.from([1, 0, 0, 0]))
  const body = Buffer.alloc(96)
  body.writeUInt16LE(CORE_KEYBOARD, 0)
  body.writeUInt32LE(STICKY_KEYS, 20)
  body.writeUInt32LE(areOn ? STICKY_KEYS : 0, 24)
  send(xkb, SET_CONTROLS, body)
}

/** Where the window is that has the focus, in pixels of the screen: for a browser that does not tell its page. */
async function activeWindow({ ask, root }) {
  const atom = (await ask(INTERN_ATOM, named('_NET_ACTIVE_WINDOW'))).readUInt32LE(8)
  const window = (await ask(GET_PROPERTY, numbers(root, atom, 0, 0, 1))).readUInt32LE(32)
  const geometry = await ask(GET_GEOMETRY, numbers(window))
  const place = await ask(TRANSLATE, numbers(window, root, 0))
  return {
    left: place.readInt16LE(12),
    top: place.readInt16LE(14),
    width: geometry.readUInt16LE(16),
    height: geometry.readUInt16LE(18),
  }
}

/** Keysyms of keys that have a name; Latin-1 characters are their own. X.Org, keysymdef.h. */
const KEYSYMS = {
  BackSpace: 0xff08,
  Tab: 0xff09,
  Return: 0xff0d,
  Left: 0xff51,
  Right: 0xff53,
  Down: 0xff54,
  F5: 0xffc2,
  Shift: 0xffe1,
  Control: 0xffe3,
  Alt: 0xffe9,
}

const numbers = (...all) => Buffer.from(Uint32Array.from(all).buffer)
