/** docs/api/api.md, "Processes and commands": SIGTERM, SIGHUP and a changed file, on a real process. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf, open, receive } from '../../support/raw.ts'
import { CONFIG, SECRET, type ServiceProcess, SITEKEY, sleep, startService } from '../../support/process.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

let service: ServiceProcess
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.kill())

/** Whether a new connection is taken; fetch would use one that it keeps. */
async function connects(base: string): Promise<boolean> {
  const socket = open(base)
  const isOpen = await once(socket, 'connect').then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') throw error
      return false
    },
  )
  socket.destroy()
  return isOpen
}
const write = (config: object | string) =>
  writeFileSync(service.configFile, typeof config === 'string' ? config : JSON.stringify(config, undefined, 2))
const issue = (action: string) =>
  post(`${service.url}/api/v1/challenge`, { sitekey: SITEKEY, action }, { ...BROWSER, origin: service.ask.origin })

describe('SIGTERM', () => {
  test('idle: exit code 0 within a second', async () => {
    const started = performance.now()
    expect(await service.stop()).toBe(0)
    expect(performance.now() - started).toBeLessThan(1000)
    expect(service.lines().at(-1)).toMatchObject({ message: 'stopped' })
  })
  test('with idle connections that are kept: exit code 0 within a second', async () => {
    const sockets = Array.from({ length: 20 }, () => open(service.url))
    // Not /health: who asks that more than once is a watcher, and gets time to see that we go.
    for (const socket of sockets) socket.write(bytesOf({ method: 'GET', path: '/nothing' }))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    const started = performance.now()
    expect(await service.stop()).toBe(0)
    expect(performance.now() - started).toBeLessThan(1000)
    for (const socket of sockets) socket.destroy()
  })
  test('a request in flight is answered, nobody new is, and then the exit code is 0', async () => {
    const body = `secret=${SECRET}&response=${await token(service.ask)}`
    const headers = [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Content-Length', String(body.length)],
    ] as const
    const socket = open(service.url)
    socket.write(bytesOf({ headers, body: body.slice(0, 40) }))
    await sleep(100)
    const exit = service.stop()
    while (await connects(service.url)) await sleep(20)
    socket.write(body.slice(40))
    const [answer] = await receive(socket)
    expect(JSON.parse(answer!.body.toString())).toMatchObject({ success: true })
    expect(await exit).toBe(0)
  })
  test('SIGINT does the same', async () => {
    service.signal('SIGINT')
    expect(await service.stop()).toBe(0)
  })
})

describe('sites are reloaded', () => {
  const [site] = CONFIG.sites
  const edited = (change: object) => ({ ...CONFIG, sites: [{ ...site, ...change }] })
  const RELOADED = 'sites reloaded'
  const KEPT = 'sites not reloaded; the old ones stay in force'

  test('at SIGHUP', async () => {
    expect((await issue('log-in')).status).toBe(200)
    write(edited({ actions: ['sign-up'] }))
    service.signal('SIGHUP')
    await service.line(RELOADED)
    expect((await issue('log-in')).body).toEqual({ success: false, 'error-codes': ['action-not-allowed'] })
    expect((await issue('sign-up')).status).toBe(200)
  })
  test('when the file changes, without a signal', async () => {
    write(edited({ actions: ['sign-up'] }))
    await service.line(RELOADED)
    expect((await issue('log-in')).body).toEqual({ success: false, 'error-codes': ['action-not-allowed'] })
  })
  test.each([
    ['a wrong value', edited({ score_threshold: 50 }), /\d+:\d+ sites\[0\]\.score_threshold .*50/],
    ['no site', { ...CONFIG, sites: [] }, /\d+:\d+ sites /],
    ['a file cut short', JSON.stringify(CONFIG).slice(0, 200), /\d+:\d+ /],
    ['an empty file', '', /./],
  ])('%s keeps the old ones, and the place is logged; a good file is taken afterwards', async (_what, bad, place) => {
    const response = await token(service.ask)
    write(bad)
    service.signal('SIGHUP')
    const { level, detail } = await service.line(KEPT)
    expect(level).toBe('error')
    expect(detail).toMatch(place)
    expect((await post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response })).body).toMatchObject({
      success: true,
    })
    expect((await issue('log-in')).status).toBe(200)

    const from = service.lines().length
    write(edited({ actions: ['sign-up'] }))
    service.signal('SIGHUP')
    await service.line(RELOADED, from)
    expect((await issue('log-in')).status).toBe(400)
  })
})

test('files that the configuration names are read again while the service runs', async () => {
  await service.kill()
  const folder = mkdtempSync(join(tmpdir(), 'hv-named-files-'))
  try {
    const [agent, network] = [join(folder, 'agent.txt'), join(folder, 'network.txt')]
    for (const file of [agent, network]) writeFileSync(file, '192.0.2.7\n')
    service = await startService({
      config: {
        ...CONFIG,
        agents: [{ name: 'crawler', ranges: agent }],
        network: { lists: [{ name: 'vpn', kind: 'vpn', file: network }] },
      },
    })
    const from = service.lines().length
    rmSync(agent)
    expect(await service.line('file removed; its entries do not apply', from)).toMatchObject({ level: 'error' })
    writeFileSync(network, '192.0.2.8\n')
    expect(await service.line('file reloaded', from)).toMatchObject({ detail: network })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
