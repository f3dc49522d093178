/** deploy/haproxy as it stands: one address holds 256 connections, another visitor is served, and nobody brings its own JA4. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Haproxy, startHaproxy } from '../../support/haproxy.ts'

const seen: Record<string, string | string[] | undefined>[] = []
const instance = createServer((req, res) => {
  if (req.url === '/seen') seen.push(req.headers)
  res.end('ok')
})
let proxy: Haproxy
const sockets: Socket[] = []
beforeAll(async () => {
  await once(instance.listen(0, '127.0.0.1'), 'listening')
  proxy = await startHaproxy([`http://127.0.0.1:${(instance.address() as AddressInfo).port}`], [], { limited: true })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await proxy.stop()
  instance.close()
})

/** Asks once from an address of this machine. @returns the status; undefined: the connection was refused or closed. */
async function askedFrom(localAddress: string, path: string, headers = {}): Promise<number | undefined> {
  const { hostname, port } = new URL(proxy.url)
  const asking = request({ host: hostname, port, path, localAddress, headers, agent: false }).end()
  return once(asking, 'response').then(
    ([res]) => {
      const { statusCode } = (res as { resume(): { statusCode: number } }).resume()
      return statusCode
    },
    () => undefined,
  )
}

test('256 connections of one address shut out that address only', async () => {
  const port = Number(new URL(proxy.url).port)
  for (let i = 0; i < 256; i++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' }).on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
  }
  expect(await askedFrom('127.0.0.2', '/health')).toBe(undefined)
  expect(await askedFrom('127.0.0.3', '/health')).toBe(200)
})

test('what a visitor says of its address and of its TLS is taken off', async () => {
  const lies = { 'x-ja4': 't13d1517h2', forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' }
  expect(await askedFrom('127.0.0.4', '/seen', lies)).toBe(200)
  expect([seen[0]!['x-ja4'], seen[0]!['forwarded'], seen[0]!['x-forwarded-for']]).toEqual([
    undefined,
    undefined,
    '127.0.0.4',
  ])
})

test('an address that asks too often is told so in the shape of the API', async () => {
  const asked: (number | undefined)[] = []
  for (let i = 0; i < 610; i++) asked.push(await askedFrom('127.0.0.5', '/health'))
  expect(asked.at(-1)).toBe(429)
  expect(await askedFrom('127.0.0.5', '/api/v1/siteverify')).toBe(200)
  expect(await askedFrom('127.0.0.6', '/health')).toBe(200)
})
