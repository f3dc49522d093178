/** docs/api/api.md, "Processes and commands": SIGTERM, SIGHUP and a changed file, on a real process. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/ledger-contract.ts'
import { bytesOf, open, receive } from '../../support/raw.ts'
import { CONFIG, SECRET, type ServiceProcess, SITEKEY, sleep, startService } from '../../support/process.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

let service: ServiceProcess

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

describe('a signal to end', () => {
  afterEach(() => service.kill())

  test.each(['SIGTERM', 'SIGINT'] as const)('%s, with idle connections that are kept: exit code 0', async (signal) => {
    service = await startService()
    const sockets = Array.from({ length: 20 }, () => open(service.url))
    // Not /health: who asks that more than once is a watcher, and gets time to see that we go.
    for (const socket of sockets) socket.write(bytesOf({ method: 'GET', path: '/nothing' }))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    const started = performance.now()
    service.signal(signal)
    expect(await service.stop()).toBe(0)
    expect(performance.now() - started).toBeLessThan(3000)
    expect(service.lines().at(-1)).toMatchObject({ message: 'stopped' })
    for (const socket of sockets) socket.destroy()
  })

  test('SIGTERM: a request in flight is answered, nobody new is, and then the exit code is 0', async () => {
    service = await startService()
    const body = `secret=${SECRET}&response=${await token({ ...service.ask, patient: true })}`
    const headers = [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Content-Length', String(body.length)],
      // Answered with 100 once its head was read: from then on it is in flight.
      ['Expect', '100-continue'],
    ] as const
    const socket = open(service.url)
    socket.write(bytesOf({ headers }))
    await once(socket, 'data')
    socket.write(body.slice(0, 40))
    const exit = service.stop()
    while (await connects(service.url)) await sleep(20)
    socket.write(body.slice(40))
    const [answer] = await receive(socket)
    expect(JSON.parse(answer!.body.toString())).toMatchObject({ success: true })
    expect(await exit).toBe(0)
  })
})

describe('sites are reloaded', () => {
  const edited = (change: object) => JSON.stringify({ ...CONFIG, sites: [{ ...CONFIG.sites[0], ...change }] })
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.kill())

  const issue = (action: string) =>
    post(`${service.url}/api/v1/challenge`, { sitekey: SITEKEY, action }, { ...BROWSER, origin: service.ask.origin })
  const refusesLogIn = () =>
    eventually(async () =>
      expect((await issue('log-in')).body).toMatchObject({ 'error-codes': ['action-not-allowed'] }),
    )

  test('when the file changes, without a signal', async () => {
    expect((await issue('log-in')).status).toBe(200)
    writeFileSync(service.configFile, edited({ actions: ['sign-up'] }))
    await refusesLogIn()
    expect((await issue('sign-up')).status).toBe(200)
  })

  test('at SIGHUP; a bad file keeps the old ones, and the place is logged; a good file is taken afterwards', async () => {
    const response = await token({ ...service.ask, patient: true })
    for (const [bad, place] of [
      [edited({ score_threshold: 50 }), /\d+:\d+ sites\[0\]\.score_threshold .*50/],
      [JSON.stringify({ ...CONFIG, sites: [] }), /\d+:\d+ sites /],
      [JSON.stringify(CONFIG).slice(0, 200), /\d+:\d+ /],
      ['', /./],
    ] as const) {
      const from = service.lines().length
      writeFileSync(service.configFile, bad)
      service.signal('SIGHUP')
      const line = await service.line('sites not reloaded; the old ones stay in force', from)
      expect(line).toMatchObject({ level: 'error', detail: expect.stringMatching(place) })
      expect((await issue('log-in')).status).toBe(200)
    }
    const { body } = await post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response })
    expect(body).toMatchObject({ success: true })
    writeFileSync(service.configFile, edited({ actions: ['sign-up'] }))
    service.signal('SIGHUP')
    await refusesLogIn()
  })
})

test('files that the configuration names are read again while the service runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-named-files-'))
  const [agent, network] = [join(folder, 'agent.txt'), join(folder, 'network.txt')]
  for (const file of [agent, network]) writeFileSync(file, '192.0.2.7\n')
  const agents = [{ name: 'crawler', ranges: agent }]
  const lists = [{ name: 'vpn', kind: 'vpn', file: network }]
  service = await startService({ config: { ...CONFIG, agents, network: { lists } } })
  try {
    const from = service.lines().length
    rmSync(agent)
    expect(await service.line('file removed; its entries do not apply', from)).toMatchObject({ level: 'error' })
    writeFileSync(network, '192.0.2.8\n')
    expect(await service.line('file reloaded', from)).toMatchObject({ detail: network })
  } finally {
    await service.kill()
    rmSync(folder, { recursive: true })
  }
})
