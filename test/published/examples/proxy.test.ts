/** A customer's server that only a company's proxy lets out: the service's name means nothing elsewhere. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SECRET } from '../../support/app.ts'
import { realService } from '../../../packages/client/test/cases.ts'
import { client, LANGUAGES } from './languages.ts'

let service: Awaited<ReturnType<typeof realService>>
let proxy: Server
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  service = await realService()
  const sockets = new Set<Socket>()
  proxy = createServer((req, res) => void forward(req, res))
  proxy.on('connect', (_req, socket: Socket) => {
    const there = connect(Number(new URL(service.base).port), '127.0.0.1', () =>
      socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    )
    for (const each of [socket, there]) each.on('error', () => {}).once('close', () => sockets.delete(each))
    sockets.add(socket).add(there)
    socket.pipe(there).pipe(socket)
  })
  proxy.once('close', () => sockets.forEach((socket) => socket.destroy()))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  environment = { http_proxy: address, https_proxy: address }
}, 60_000)
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await service.stop()
})

/** curl asks a proxy for an address of plain HTTP without a tunnel. */
async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const headers = { 'content-type': req.headers['content-type'] ?? '' }
  const to = service.base + new URL(req.url!).pathname
  const answer = await fetch(to, { method: 'POST', headers, body: Buffer.concat(chunks) })
  res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

test.each(LANGUAGES.filter(({ name }) => name !== 'TypeScript'))(
  '$name asks by way of it',
  async (language) => {
    const call = { url: 'http://verify.invalid', secret: SECRET, action: 'sign-up', hostnames: ['shop.example.com'] }
    const response = await service.tokenOf({ action: 'sign-up' })
    expect(await client(language, environment)({ ...call, response })).toBe('accepted')
  },
  300_000,
)
