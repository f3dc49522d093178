import { once } from 'node:events'
import { connect } from 'node:net'

/** Opcodes of the core protocol. */
const [GET_GEOMETRY, INTERN_ATOM, GET_PROPERTY, QUERY_POINTER, TRANSLATE] = [14, 16, 20, 38, 40]
const [GET_INPUT_FOCUS, QUERY_EXTENSION, GET_KEYBOARD_MAPPING] = [43, 98, 101]
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
  const socket = connect(`/tmp/.X11-unix/X${display}`)
  await once(socket, 'connect')
  const { root, firstKey, lastKey } = await setUp(socket)
  let received = Buffer.alloc(0)
  let sequence = 0
  const waiting = new Map()
  const problems = []
  const gone = () => {
    for (const { reject } of waiting.values()) reject(new Error('the X server has gone'))
    waiting.clear()
  }
  socket.on('error', gone).on('close', gone)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 32) {
      const isReply = received[0] === 1
      const length = isReply ? 32 + received.readUInt32LE(4) * 4 : 32
      if (received.length < length) return
      const packet = received.subarray(0, length)
      received = received.subarray(length)
      // What is neither a reply nor an error is an event.
      if (packet[0] > 1) continue
      const asked = waiting.get(packet.readUInt16LE(2))
      waiting.delete(packet.readUInt16LE(2))
      if (isReply) asked?.resolve(packet)
      else {
        problems.push(`X error ${packet[1]} of request ${packet[10]}.${packet.readUInt16LE(8)}`)
        asked?.reject(new Error(problems.at(-1)))
      }
    }
  })

  function send(opcode, detail, body) {
    const request = Buffer.alloc(4 + Math.ceil(body.length / 4) * 4)
    request[0] = opcode
    request[1] = detail
    request.writeUInt16LE(request.length / 4, 2)
    body.copy(request, 4)
    sequence = (sequence + 1) & 0xffff
    socket.write(request)
  }

  /** Makes a request of the core protocol, and returns its reply. */
  function ask(opcode, body = Buffer.alloc(0)) {
    send(opcode, 0, body)
    return new Promise((resolve, reject) => waiting.set(sequence, { resolve, reject }))
  }

  /** Finds the opcode of an extension. */
  async function opcodeOf(extension) {
    const answer = await ask(QUERY_EXTENSION, named(extension))
    if (answer[8] !== 1) throw new Error(`the X server has no ${extension} extension`)
    return answer[9]
  }
  const xtest = await opcodeOf('XTEST')

  const fake = (type, detail, wait, x = 0, y = 0) => {
    const body = Buffer.alloc(32)
    body[0] = type
    body[1] = detail
    body.writeUInt32LE(Math.max(0, Math.round(wait)), 4)
    body.writeUInt32LE(type === MOTION ? root : 0, 8)
    body.writeInt16LE(Math.round(x), 20)
    body.writeInt16LE(Math.round(y), 22)
    send(xtest, 2, body)
  }

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
  /** Moves a key, which is named by what it types or by its name in `KEYSYMS`. */
  function key(name, isDown, wait = 0) {
    const keycode = keycodes.get(KEYSYMS[name] ?? name.codePointAt(0))
    if (keycode === undefined) throw new Error(`this keyboard cannot type ${JSON.stringify(name)}`)
    fake(isDown ? KEY : KEY + 1, keycode, wait)
  }

  return {
    move: (x, y, wait = 0) => fake(MOTION, 0, wait, x, y),
    key,
    tap(name, wait, held) {
      key(name, true, wait)
      key(name, false, held)
    },
    click(wait, held, button = 1) {
      fake(BUTTON, button, wait)
      fake(BUTTON + 1, button, held)
    },
    /** Switches sticky keys on or off, as the settings of a desktop do. X Keyboard Extension, 10.8. */
    async setStickyKeys(areOn) {
      const xkb = await opcodeOf('XKEYBOARD')
      send(xkb, USE_XKB, Buffer.from([1, 0, 0, 0]))
      const body = Buffer.alloc(96)
      body.writeUInt16LE(CORE_KEYBOARD, 0)
      body.writeUInt32LE(STICKY_KEYS, 20)
      body.writeUInt32LE(areOn ? STICKY_KEYS : 0, 24)
      send(xkb, SET_CONTROLS, body)
    },
    /** Waits until the server has done everything. @throws {Error} when it refused something */
    async done() {
      await ask(GET_INPUT_FOCUS)
      if (problems.length > 0) throw new Error(problems.join('; '))
    },
    /** Where the pointer is, in pixels of the screen. */
    async pointer() {
      const answer = await ask(QUERY_POINTER, numbers(root))
      return { x: answer.readInt16LE(16), y: answer.readInt16LE(18) }
    },
    /** Where the window is that has the focus, in pixels of the screen: for a browser that does not tell its page. */
    async activeWindow() {
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
    },
    close: () => socket.destroy(),
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

/** Greets the server, and reads the parts of its answer that we need. */
async function setUp(socket) {
  socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  let answer = Buffer.alloc(0)
  while (answer.length < 8 || answer.length < 8 + answer.readUInt16LE(6) * 4)
    answer = Buffer.concat([answer, ...(await once(socket, 'data'))])
  if (answer[0] !== 1) throw new Error('the X server refused us')
  const vendor = answer.readUInt16LE(8 + 16)
  const formats = answer[8 + 21]
  const screens = 8 + 32 + Math.ceil(vendor / 4) * 4 + formats * 8
  return { root: answer.readUInt32LE(screens), firstKey: answer[8 + 26], lastKey: answer[8 + 27] }
}

const numbers = (...all) => Buffer.from(Uint32Array.from(all).buffer)

/** A text after its length, as requests have it. */
const named = (text) => Buffer.from([text.length, 0, 0, 0, ...Buffer.from(text)])
