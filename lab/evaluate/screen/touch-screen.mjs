import { connect } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../../stand/folder.mjs'
import { start, until } from '../../stand/processes.mjs'

/**
 * An X server with a touch screen: Xvfb has none, but Xorg's own test driver `inputtest` makes one, which the server and
 * every browser take for a device. Drawn into memory by the `dummy` driver.
 */
export async function startTouchServer({ width, height }) {
  const own = folder('hv-touch')
  const sockets = { touch: join(own.path, 'touch'), keys: join(own.path, 'keys') }
  writeFileSync(join(own.path, 'xorg.conf'), configuration(width, height, sockets))
  const files = ['-config', join(own.path, 'xorg.conf'), '-logfile', join(own.path, 'log')]
  const quiet = ['-novtswitch', '-sharevts', '-nolisten', 'tcp', '-noreset']
  const server = start('Xorg', [...files, ...quiet, '-displayfd', '1'])
  const display = await until(
    () => /^(\d+)\n/m.exec(server.said())?.[1],
    'Xorg with the dummy driver',
    20_000,
  )
  const device = await touchDevice(sockets.touch, { width, height })
  return {
    display: Number(display),
    touch: device.send,
    async stop() {
      device.close()
      await server.stop()
      own.remove()
    },
  }
}

const section = (name, ...lines) =>
  `Section "${name}"\n${lines.map((line) => `  ${line}\n`).join('')}EndSection\n`

const configuration = (width, height, { touch, keys }) =>
  section('ServerFlags', 'Option "AutoAddDevices" "false"', 'Option "AutoEnableDevices" "false"') +
  section('Device', 'Identifier "card"', 'Driver "dummy"', 'VideoRam 65536') +
  section('Monitor', 'Identifier "monitor"', 'HorizSync 5.0-1000.0', 'VertRefresh 5.0-200.0') +
  section(
    'Screen',
    'Identifier "screen"\n  Device "card"\n  Monitor "monitor"\n  DefaultDepth 24',
    `SubSection "Display"\n    Depth 24\n    Virtual ${width} ${height}\n    Modes "${width}x${height}"\n  EndSubSection`,
  ) +
  section('InputDevice', ...inputtest('touch', 'Touch', touch), 'Option "TouchCount" "5"') +
  section('InputDevice', ...inputtest('keys', 'Keyboard', keys)) +
  section(
    'ServerLayout',
    'Identifier "layout"\n  Screen "screen"',
    'InputDevice "touch" "CorePointer"',
    'InputDevice "keys" "CoreKeyboard"',
  )

const inputtest = (name, type, socket) => [
  `Identifier "${name}"`,
  'Driver "inputtest"',
  `Option "DeviceType" "${type}"`,
  `Option "SocketPath" "${socket}"`,
]

/** Kinds of events, XI 2.2. */
const TOUCH = { begin: 18, update: 19, end: 20 }
/** The touch screen's own pixels, and those of its pressure. */
const AXIS = 0xffff
const VALUATORS = 64

/** The driver's socket: events of fixed length, in the machine's own byte order; inputtest protocol 1.1. */
async function touchDevice(path, { width, height }) {
  const socket = connect(path)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const hello = Buffer.alloc(12)
  hello.writeUInt32LE(hello.length, 0)
  hello.writeUInt16LE(1, 8)
  hello.writeUInt16LE(1, 10)
  socket.write(hello)
  await new Promise((resolve) => socket.once('data', resolve))
  return {
    /** @param {number} finger @param {'begin' | 'update' | 'end'} kind @param {number} x pixels of the screen */
    send(finger, kind, x, y) {
      const event = Buffer.alloc(16 + 16 + VALUATORS * 16)
      event.writeUInt32LE(event.length, 0)
      event.writeUInt32LE(6, 4)
      event.writeUInt32LE(finger, 8)
      event.writeUInt32LE(TOUCH[kind], 12)
      // Which axes follow: x and y.
      event[20] = 0b11
      event.writeDoubleLE((x / width) * AXIS, 32)
      event.writeDoubleLE((y / height) * AXIS, 40)
      socket.write(event)
    },
    close: () => socket.destroy(),
  }
}
