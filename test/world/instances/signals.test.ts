/** docs/api/api.md, "Processes and commands": SIGTERM, and files that change, on a real process; reload.test.ts has SIGHUP. */
import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf, open, receive } from '../../support/raw.ts'
import { CONFIG, SECRET, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { token } from '../../support/visitor.ts'

let service: ServiceProcess

/** Whether a new connection is taken; fetch would use one that it keeps. */
async function connects(base: string): Promise<boolean> {
  const socket = open(base)
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

afterEach(() => service.kill())

test.each(['SIGTERM', 'SIGINT'] as const)('%s closes idle connections and exits with code 0', async (signal) => {
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

test('SIGTERM answers a pending request, accepts no new connection and exits with code 0', async () => {
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

test('files that the configuration names are reloaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-named-files-'))
  const [agent, network] = [join(folder, 'agent.txt'), join(folder, 'network.txt')]
  for (const file of [agent, network]) writeFileSync(file, '192.0.2.7\n')
  const agents = [{ name: 'crawler', ranges: agent }]
  const lists = [{ name: 'vpn', kind: 'vpn', file: network }]
  service = await startService({ config: { ...CONFIG, agents, network: { lists } } })
  const from = service.lines().length
  rmSync(agent)
  expect(await service.line('file removed; its entries do not apply', from)).toMatchObject({ level: 'error' })
  writeFileSync(network, '192.0.2.8\n')
  expect(await service.line('file reloaded', from)).toMatchObject({ detail: network })
  rmSync(folder, { recursive: true })
})
