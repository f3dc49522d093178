/** nginx by our samples while its two processes are restarted one right after the other: no request is refused. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'
import { ask, PROXIES, startSite } from '../../support/gate.ts'
import { startNginx } from '../../support/proxies.ts'

/** A program that is restarted on its port. */
async function restartable(answer: RequestListener) {
  let server: Server | undefined
  async function begin(port: number): Promise<number> {
    server = createServer(answer)
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  async function stop(): Promise<void> {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    server = undefined
    await closed
  }
  const port = await begin(0)
  return closeLater({ host: `127.0.0.1:${port}`, stop, start: () => begin(port) }, (it) =>
    it.stop(),
  )
}

/** Asks while the first one is away, and at once when it is back and the second one is away. */
async function statusesOf(
  url: string,
  processes: readonly Awaited<ReturnType<typeof restartable>>[],
) {
  const statuses: number[] = []
  for (const each of processes) {
    await each.stop()
    for (let i = 0; i < 20; i++) statuses.push((await ask(url, '/')).status)
    await each.start()
  }
  return new Set(statuses)
}

test('in front of the service', async () => {
  const processes = [
    await restartable((_req, res) => void res.end()),
    await restartable((_req, res) => void res.end()),
  ]
  const { url } = await startNginx(processes.map(({ host }) => `http://${host}`))
  expect(await statusesOf(url, processes)).toEqual(new Set([200]))
})

test('in front of a site, with two gates', async () => {
  const gate: RequestListener = (_req, res) =>
    void res.writeHead(204, { 'x-hv-clearance': 'none', 'x-hv-guest': 'unknown' }).end()
  const gates = [await restartable(gate), await restartable(gate)]
  const named = (sample: string) =>
    sample.replace('# server 127.0.0.1:8091', `server ${gates[1]!.host}`)
  const app = await startSite()
  const { url } = await PROXIES.nginx(gates[0]!.host, app.host, named)
  expect(await statusesOf(url, gates)).toEqual(new Set([200]))
})
