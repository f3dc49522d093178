import { once } from 'node:events'
import { connect } from 'node:net'

const QUERY_EXTENSION = 98

/** Connects to an X server: sends requests, and finds the replies to them. X Window System Protocol 11. */
export async function xConnection(display) {
  const socket = connect(`/tmp/.X11-unix/X${display}`)
  await once(socket, 'connect')
  const greeting = await greet(socket)
  let sequence = 0
  const waiting = new Map()
  const problems = []
  const gone = () => {
    for (const { reject } of waiting.values()) reject(new Error('the X server has gone'))
    waiting.clear()
  }
  socket.on('error', gone).on('close', gone)
  onPackets(socket, (packet) => {
    const asked = waiting.get(packet.readUInt16LE(2))
    waiting.delete(packet.readUInt16LE(2))
    if (packet[0] === REPLY) return asked?.resolve(packet)
    problems.push(`X error ${packet[1]} of request ${packet[10]}.${packet.readUInt16LE(8)}`)
    asked?.reject(new Error(problems.at(-1)))
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

  return {
    ...greeting,
    send,
    ask,
    /** Finds the opcode of an extension. @throws {Error} when the server lacks it */
    async opcodeOf(extension) {
      const answer = await ask(QUERY_EXTENSION, named(extension))
      if (answer[8] !== 1) throw new Error(`the X server has no ${extension} extension`)
      return answer[9]
    },
    /** What the server refused so far. */
    problems,
    close: () => socket.destroy(),
  }
}

/** The first byte of a reply; that of an error is 0, and that of an event is more than 1. */
const REPLY = 1

/** Cuts what arrives into packets, and calls `take` with each that is no event. */
function onPackets(socket, take) {
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 32) {
      const length = received[0] === REPLY ? 32 + received.readUInt32LE(4) * 4 : 32
      if (received.length < length) return
      const packet = received.subarray(0, length)
      received = received.subarray(length)
      if (packet[0] <= REPLY) take(packet)
    }
  })
}

/** Greets the server, and reads the parts of its answer that we need. */
async function greet(socket) {
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

/** A text after its length, as requests have it. */
export const named = (text) => Buffer.from([text.length, 0, 0, 0, ...Buffer.from(text)])
