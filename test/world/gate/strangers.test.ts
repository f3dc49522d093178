/** Requests that cost a stranger little, at the samples of each proxy: nobody is let in by them, and visitors beside are served. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { closeLater } from '../../support/close-later.ts'
import {
  ask,
  exchange,
  gateFiles,
  NAVIGATION,
  PROXIES,
  startGate,
  startSite,
} from '../../support/gate.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { token } from '../../support/visitor.ts'

const service = await testService({
  siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0 })],
})
const file = gateFiles(service.base)

/** Sends these lines as a request. @returns the status of the answer; 0 where the connection ended without one. */
async function statusOf(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
  closeLater(socket, (it) => it.destroy())
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.destroy()
  return Number(String(answer[0]).slice(9, 12)) || 0
}

const many = (count: number, name: string, value: string) =>
  Array.from({ length: count }, (_, i) => `${name.replace('#', String(i))}: ${value}`)
const HEADS: readonly (readonly [what: string, lines: readonly string[]])[] = [
  ['97 headers', many(97, 'X-#', 'a')],
  ['97 names that begin as ours', many(97, 'Sec-Fetch-#', 'a')],
  ['97 cookies', many(97, 'Cookie', 'a=b')],
  ['97 times X-Forwarded-For', many(97, 'X-Forwarded-For', '192.0.2.1')],
  ['2,500 headers', many(2500, 'X-#', 'a')],
  ['a header of 15 kB', many(1, 'X-#', 'a'.repeat(15_000))],
  ['cookies of 29 kB', many(4, 'Cookie', `a=${'b'.repeat(7300)}`)],
]

/** Traefik answers these itself, and the site sees none of them. */
const OF_TRAEFIK = { '2,500 headers': 500, CONNECT: 501, '*': 200 }

describe.each(Object.entries(PROXIES))('%s', (name, startProxy) => {
  async function stage() {
    const [gate, app] = [await startGate(file), await startSite()]
    const { url } = await startProxy(gate.host, app.host)
    const response = await token({ ...service.ask, action: 'gate', origin: url })
    return { url, app, response }
  }

  test('lets visitors in beside 300 bodies that do not come', async () => {
    const { url, response } = await stage()
    const { hostname, port } = new URL(url)
    const head = 'POST /.hv/pass HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\n'
    let asked = 0
    for (let i = 0; i < 300; i++) {
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {})
      closeLater(socket, (it) => it.destroy())
      socket.once('data', () => asked++)
      socket.write(`${head}Sec-Fetch-Site: same-origin\r\nContent-Length: 900\r\n\r\nsvc-response=`)
    }
    await eventually(() => expect(asked).toBeGreaterThanOrEqual(250))
    const { status, cookie } = await exchange(url, response)
    expect(status).toBe(204)
    expect((await ask(url, '/', { ...NAVIGATION, cookie })).status).toBe(200)
  })

  test('refuses what has no name or no path, and heads beyond its bounds', async () => {
    const { url, app } = await stage()
    const answers: Record<string, number> = {}
    async function asked(what: string, lines: readonly string[]): Promise<void> {
      answers[what] = await statusOf(url, lines)
    }
    for (const [what, lines] of HEADS)
      await asked(what, ['GET /secret HTTP/1.1', 'Host: 127.0.0.1', ...lines])
    await asked('no Host', ['GET /secret HTTP/1.1'])
    await asked('an empty Host', ['GET /secret HTTP/1.1', 'Host:'])
    await asked('CONNECT', ['CONNECT 127.0.0.1:80 HTTP/1.1', 'Host: 127.0.0.1'])
    // Caddy answers this itself, with nothing.
    if (name !== 'Caddy') await asked('*', ['OPTIONS * HTTP/1.1', 'Host: 127.0.0.1'])
    expect(app.seen).toEqual([])
    const wrong = Object.entries(answers).filter(([, status]) => status < 400 || status > 499)
    expect(Object.fromEntries(wrong)).toEqual(name === 'Traefik' ? OF_TRAEFIK : {})
    expect((await ask(url, '/', NAVIGATION)).status).toBe(403)
  })
})
