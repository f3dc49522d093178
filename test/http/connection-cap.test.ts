/** Issue 3, item 8: connections have a cap, and who is there is served whatever comes beyond it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Listening, listen } from '../../src/http/listen.ts'

const MOST = 5
let service: Listening
let sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await service.stop(0)
})

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  return socket
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString().split('\r\n')[0]!
}

test('beyond the cap a connection is closed at once; those below it are answered, and a place that is left is given on', async () => {
  service = await listen((_req, res) => void res.end('ok'), { host: '127.0.0.1', port: 0 }, { most: MOST })
  const first = await Promise.all(Array.from({ length: MOST }, open))
  for (const socket of first) expect(await ask(socket)).toBe('HTTP/1.1 200 OK')

  const late = await Promise.all(Array.from({ length: 10 }, open))
  await Promise.all(late.filter(({ destroyed }) => !destroyed).map((socket) => once(socket.resume(), 'close')))
  for (const socket of first) expect(await ask(socket)).toBe('HTTP/1.1 200 OK')

  const gone = once(first[0]!, 'close')
  first[0]!.end()
  await gone
  expect(await ask(await open())).toBe('HTTP/1.1 200 OK')
})
