/** A real haproxy that passes connections on, reads no HTTP, and names the visitor by the PROXY protocol. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Listening, listen } from '../../../src/http/server/listen.ts'
import { needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'

const ports: Record<string, number> = {}
const undo: (() => Promise<unknown> | void)[] = []
let service: Listening
beforeAll(async () => {
  service = await listen(
    (req, res) => void res.end(req.socket.remoteAddress),
    { host: '127.0.0.1', port: 0 },
    { proxyProtocol: true, trusts: (peer) => peer === '127.0.0.1' },
  )
  const instance = new URL(service.url).host
  for (const version of ['send-proxy', 'send-proxy-v2']) ports[version] = await freePort()
  const sections = Object.entries(ports).map(
    ([version, port]) =>
      `listen ${version}\n    bind 127.0.0.1:${port}\n    server one ${instance} ${version} check check-send-proxy inter 200ms\n`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'hv-proxy-protocol-'))
  const file = join(folder, 'haproxy.cfg')
  const defaults =
    'defaults\n    mode tcp\n    timeout connect 1s\n    timeout client 5s\n    timeout server 5s\n    option httpchk GET /health\n'
  writeFileSync(file, `${defaults}${sections.join('')}`)
  const proxy = spawn(needProgram('haproxy'), ['-db', '-q', '-f', file], { stdio: 'ignore' })
  const exited = once(proxy, 'exit')
  undo.push(async () => {
    proxy.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  for (const port of Object.values(ports)) await listening(port)
})
afterAll(async () => {
  for (const each of undo) await each()
  await service.stop(0)
})

test.each(['send-proxy', 'send-proxy-v2'])('%s: the service sees the visitor’s own address', async (version) => {
  for (const localAddress of ['127.0.0.9', '127.0.0.10']) {
    const asking = request({ host: '127.0.0.1', port: ports[version], localAddress, agent: false }).end()
    const [res] = (await once(asking, 'response')) as [AsyncIterable<Buffer>]
    let text = ''
    for await (const chunk of res) text += chunk.toString()
    expect(text).toBe(localAddress)
  }
})
