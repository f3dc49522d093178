import { connect } from 'node:net'

/**
 * A small X client: input through the XTEST extension, as a device's driver would give it to the server.
 *
 * Every input says how long to wait after the one before; the server keeps these times itself, so that they do not depend
 * on what this process is doing. X Window System Protocol 11, XTEST Extension Protocol 2.2.
 */
export async function xClient(display) {
  const socket = connect(`/tmp/.X11-unix/X${display}`)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = Buffer.alloc(0)
  let onSetup
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
    if (onSetup) {
      if (received.length < 8 || received.length < 8 + received.readUInt16LE(6) * 4) return
      const length = 8 + received.readUInt16LE(6) * 4
      const settle = onSetup
      onSetup = undefined
      settle(received.subarray(0, length))
      received = received.subarray(length)
    }
    for (;;) {
      if (received.length < 32) return
      const isReply = received[0] === 1
      const length = isReply ? 32 + received.readUInt32LE(4) * 4 : 32
      if (received.length < length) return
      const packet = received.subarray(0, length)
      received = received.subarray(length)
      const asked = waiting.get(packet.readUInt16LE(2))
      if (packet[0] > 1) continue
      if (!isReply) problems.push(`X error ${packet[1]} of request ${packet[10]}.${packet.readUInt16LE(8)}`)
      waiting.delete(packet.readUInt16LE(2))
      if (isReply) asked?.resolve(packet)
      else asked?.reject(new Error(problems.at(-1)))
    }
  })

  const setup = await new Promise((resolve) => {
    onSetup = resolve
    const hello = Buffer.alloc(12)
    hello.write('l')
    hello.writeUInt16LE(11, 2)
    socket.write(hello)
  })
  if (setup[0] !== 1) throw new Error('the X server refused us')
  const { root, firstKey, lastKey } = readSetup(setup)

  function send(opcode, detail, body, wantsReply) {
    const request = Buffer.alloc(4 + Math.ceil(body.length / 4) * 4)
    request[0] = opcode
    request[1] = detail
    request.writeUInt16LE(request.length / 4, 2)
    body.copy(request, 4)
    sequence = (sequence + 1) & 0xffff
    const answer = wantsReply && new Promise((resolve, reject) => waiting.set(sequence, { resolve, reject }))
    socket.write(request)
    return answer
  }

  const name = Buffer.from('XTEST')
  const asked = Buffer.alloc(4 + name.length)
  asked.writeUInt16LE(name.length, 0)
  name.copy(asked, 4)
  const extension = await send(98, 0, asked, true)
  if (extension[8] !== 1) throw new Error('the X server has no XTEST extension')
  const xtest = extension[9]

  const fake = (type, detail, wait, x = 0, y = 0) => {
    const body = Buffer.alloc(32)
    body[0] = type
    body[1] = detail
    body.writeUInt32LE(Math.max(0, Math.round(wait)), 4)
    body.writeUInt32LE(type === MOTION ? root : 0, 8)
    body.writeInt16LE(Math.round(x), 20)
    body.writeInt16LE(Math.round(y), 22)
    send(xtest, 2, body, false)
  }

  return {
    root,
    /** @param {number} opcode of a request of the core protocol @param {Buffer} body @returns {Promise<Buffer>} the reply */
    ask: (opcode, body) => send(opcode, 0, body, true),
    /** @param {number} wait milliseconds after the input before; so in all of these. */
    move: (x, y, wait = 0) => fake(MOTION, 0, wait, x, y),
    button: (number, isDown, wait = 0) => fake(isDown ? 4 : 5, number, wait),
    key: (keycode, isDown, wait = 0) => fake(isDown ? 2 : 3, keycode, wait),
    /** Waits until the server has done everything. @throws {Error} when it refused something */
    async done() {
      await send(43, 0, Buffer.alloc(0), true)
      if (problems.length > 0) throw new Error(problems.join('; '))
    },
    /** Where the pointer is, in pixels of the screen. */
    async pointer() {
      const body = Buffer.alloc(4)
      body.writeUInt32LE(root, 0)
      const answer = await send(38, 0, body, true)
      return { x: answer.readInt16LE(16), y: answer.readInt16LE(18) }
    },
    /** The keyboard: for each keycode its symbols, the plain one first, then the one with Shift. */
    async keyboard() {
      const answer = await send(101, 0, Buffer.from([firstKey, lastKey - firstKey + 1, 0, 0]), true)
      const each = answer[1]
      const symbols = new Map()
      for (let key = firstKey; key <= lastKey; key++) {
        const at = 32 + (key - firstKey) * each * 4
        symbols.set(
          key,
          Array.from({ length: Math.min(2, each) }, (_, i) => answer.readUInt32LE(at + i * 4)),
        )
      }
      return symbols
    },
    close: () => socket.destroy(),
  }
}

const MOTION = 6

/** The parts of the server's first answer that we need. */
function readSetup(setup) {
  const vendor = setup.readUInt16LE(8 + 16)
  const formats = setup[8 + 21]
  const screens = 8 + 32 + Math.ceil(vendor / 4) * 4 + formats * 8
  return { root: setup.readUInt32LE(screens), firstKey: setup[8 + 26], lastKey: setup[8 + 27] }
}
