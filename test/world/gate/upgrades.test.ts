/** No upgrade makes a proxy a tunnel past the gate, at a server that would answer each with HTTP/2 from there on. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { exchange, gateFiles, PROXIES, startGate } from '../../support/gate.ts'
import { findProgram } from '../../support/programs.mjs'
import { token } from '../../support/visitor.ts'
import { startHypercorn } from './readers.ts'

const service = await testService({
  siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0 })],
})
const rules = [{ name: 'open', when: { path: ['/open/*'] }, effect: 'allow' }]
const file = gateFiles(service.base, { rules })

const SETTINGS = 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'
const UPGRADES: readonly (readonly string[])[] = [
  ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', SETTINGS],
  ['Upgrade: h2c', 'Connection: Upgrade', SETTINGS],
  ['Upgrade: H2C', 'Connection: HTTP2-Settings, Upgrade', SETTINGS],
  ['Upgrade: websocket, h2c', 'Connection: Upgrade, HTTP2-Settings', SETTINGS],
  ['Upgrade: h2c, websocket', 'Connection: Upgrade, HTTP2-Settings', SETTINGS],
  ['Upgrade: websocket', 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', SETTINGS],
  ['Upgrade: h2c', 'Upgrade: websocket', 'Connection: Upgrade, HTTP2-Settings', SETTINGS],
  ['Upgrade: h2c ', 'Connection: upgrade', 'Connection: http2-settings', SETTINGS],
]

/** Sends a request as it is. @returns the status of each answer. */
async function statusOf(host: string, path: string, lines: readonly string[]): Promise<string> {
  const [hostname, port] = host.split(':')
  const socket = connect({ host: hostname, port: Number(port) })
  const head = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return answer.toString('latin1', 9, 12)
}

const withHypercorn = findProgram('hypercorn') === undefined ? test.skip : test

withHypercorn('the server behind takes such an upgrade', async () => {
  const [plain] = UPGRADES
  expect(await statusOf(await startHypercorn(), '/robots.txt', plain!)).toBe('101')
})

withHypercorn.each(Object.entries(PROXIES))('%s opens none of them', async (_name, startProxy) => {
  const [gate, app] = [await startGate(file), await startHypercorn()]
  const { url } = await startProxy(gate.host, app)
  const response = await token({ ...service.ask, action: 'gate', origin: url })
  const { cookie } = await exchange(url, response)
  const { host } = new URL(url)
  expect(await statusOf(host, '/open/a', [])).toBe('200')
  const opened: string[] = []
  for (const upgrade of UPGRADES)
    for (const path of ['/robots.txt', '/open/a', '/other'])
      for (const more of [[], [`Cookie: ${cookie}`]]) {
        const status = await statusOf(host, path, [...upgrade, ...more])
        if (status === '101') opened.push(`${path}: ${[...upgrade, ...more].join(' | ')}`)
      }
  expect(opened).toEqual([])
})
