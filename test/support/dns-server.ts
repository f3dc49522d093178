/** A name server on loopback, which answers what a test says. RFC 1035, section 4. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'
import { closeLater } from './close-later.ts'

const TYPES = { 1: 'A', 12: 'PTR', 28: 'AAAA' } as const
type Type = (typeof TYPES)[keyof typeof TYPES]

/** By type and name: `PTR 4.3.2.1.in-addr.arpa`. A name that is not there does not exist. */
export type Zone = Record<string, readonly string[]>

const labelsOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

const dataOf = (type: Type, value: string): Buffer =>
  type === 'PTR' ? labelsOf(value) : Buffer.from(ipaddr.parse(value).toByteArray())

/** Reads the one question of a message: it stands behind twelve bytes. */
function questionOf(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const code = message.readUInt16BE(at + 1)
  return { name: labels.join('.'), code, bytes: message.subarray(12, at + 5) }
}

/** @param zone changes count from then on. */
export async function startDns(zone: Zone) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  let isSilent = false
  socket.on('message', (message, { address, port }) => {
    const { name, code, bytes } = questionOf(message)
    const type = TYPES[code as keyof typeof TYPES]
    const key = `${type} ${name}`
    asked.push(key)
    if (isSilent) return
    const found = zone[key]
    const answers = (found ?? []).map((value) => {
      const data = dataOf(type, value)
      const head = Buffer.alloc(12)
      // The name is that of the question; class IN, a minute.
      head.writeUInt16BE(0xc00c, 0)
      head.writeUInt16BE(code, 2)
      head.writeUInt16BE(1, 4)
      head.writeUInt32BE(60, 6)
      head.writeUInt16BE(data.length, 10)
      return Buffer.concat([head, data])
    })
    const header = Buffer.alloc(12)
    message.copy(header, 0, 0, 2)
    header.writeUInt16BE(found ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, bytes, ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  closeLater(socket, (it) => it.close())
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    /** From now on no question is answered. */
    silence() {
      isSilent = true
    },
  }
}
