/** The gate inside a program; test/published/examples/gate.test.ts has the frameworks. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from '@jest/globals'
import { closeLater } from '../../../test/support/close-later.ts'
import { ask, FETCH, gateFiles } from '../../../test/support/gate.ts'
import { gate } from '../src/middleware.ts'

test('a body that breaks off is an error of its request, and an address that is none is nobody’s', async () => {
  const own = gate({
    config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }),
    isSecure: false,
  })
  const server = closeLater(createServer(), (it) => it.close())
  const failed = new Promise((resolve) => {
    server.on('request', (req, res) =>
      own.express(Object.assign(req, { ip: 'forged' }), res, resolve),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  expect((await ask(`http://127.0.0.1:${port}`, '/', FETCH)).status).toBe(401)
  const socket = connect(port, '127.0.0.1')
  const head = ['host: 127.0.0.1', 'sec-fetch-site: same-origin', 'content-length: 100']
  socket.write(`POST /.hv/pass HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\nx`, () => socket.destroy())
  expect(String(await failed)).toBe('Error: aborted')
})

test('Hono: a path is judged as it came, with its dots', async () => {
  const own = gate({
    config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }),
    isSecure: false,
  })
  const seen = async (path: string) => {
    const raw = { method: 'GET', url: `http://127.0.0.1${path}`, headers: new Headers() } as Request
    return (await own.hono(() => '127.0.0.1')({ req: { raw } }, async () => {}))?.status
  }
  expect([await seen('/robots.txt'), await seen('/shut/%2e%2e/robots.txt')]).toEqual([
    undefined,
    401,
  ])
  expect(await own.registry.metrics()).toContain(
    'hv_gate_checks_total{host="127.0.0.1",answer="none"} 1',
  )
})
