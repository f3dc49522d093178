/** A SIGTERM loses no answer: on a client's own connection, behind nginx, and where a balancer looks. test/world/faults has haproxy. */
import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/ledger-contract.ts'
import { keyringFile, SECRET, sleep, startService as start } from '../../support/process.ts'
import { startNginx } from '../../support/proxies.ts'
import { bytesOf, open, receive } from '../../support/raw.ts'
import { connects, startRedis } from '../../support/redis.ts'
import { ROOT } from '../../support/root.ts'
import { post, postPatiently, token } from '../../support/visitor.ts'
import { underLoad } from './crowd.ts'

const JUNK = { secret: SECRET, response: 'not-a-token' }
const ask = (url: string) => post(`${url}/api/v1/siteverify`, JUNK)

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s closes idle connections and exits with code 0',
  async (signal) => {
    const service = await start()
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
  },
)

test('SIGTERM answers a pending request, accepts no new connection and exits with code 0', async () => {
  const service = await start()
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
  while (await connects(Number(new URL(service.url).port))) await sleep(20)
  socket.write(body.slice(40))
  const [answer] = await receive(socket)
  expect(JSON.parse(answer!.body.toString())).toMatchObject({ success: true })
  expect(await exit).toBe(0)
})

test('two instances of the systemd unit behind nginx: one ends under load, and no request fails', async () => {
  const redis = await startRedis()
  const keyring = keyringFile()
  const unit = readFileSync(join(ROOT, 'deploy/systemd/human-verification@.service'), 'utf8')
  const listens = [...unit.matchAll(/^Environment=(HV_\w*LISTEN)=(.*)$/gm)] as string[][]
  // The operators' listener takes the port with a 1 before it.
  const ports = [4000 + (process.pid % 1000), 5000 + (process.pid % 1000)]
  const services = await Promise.all(
    ports.map((port) => {
      const env = listens.map(([, name, value]) => [name!, value!.replaceAll('%i', String(port))])
      return start({ keyring, env: { ...Object.fromEntries(env), HV_REDIS_URL: redis.url } })
    }),
  )
  expect(services.map(({ url, opsUrl }) => [url, opsUrl])).toEqual(
    ports.map((port) => [`http://127.0.0.1:${port}`, `http://127.0.0.1:1${port}`]),
  )
  const proxy = await startNginx(services.map(({ url }) => url))
  const answers = await underLoad(
    100,
    // Asks again where a busy machine has no time to judge.
    () => postPatiently(`${proxy.url}/api/v1/siteverify`, JUNK),
    async () => {
      const judged = async (service: (typeof services)[0], count: number) => {
        while (service.lines().filter(({ message }) => message === 'siteverify').length <= count)
          await sleep(20)
      }
      for (const service of services) await judged(service, 50)
      expect(await services[0]!.stop()).toBe(0)
      await judged(services[1]!, 200)
    },
  )
  expect(answers.filter((answer) => answer instanceof Error || answer.status !== 200)).toEqual([])
}, 90_000)

test('an instance that is checked by a load balancer fails the checks first, then finishes the other requests, then ends', async () => {
  const service = await start()
  const looks = { health: `${service.url}/health`, ready: `${service.opsUrl}/ready` }
  // Who asks more than once, in a second or so, is a watcher.
  for (let i = 0; i < 3; i++, await sleep(250)) expect((await fetch(looks.health)).status).toBe(200)
  const connectionOf = async () => (await ask(service.url)).headers.get('connection')
  expect(await connectionOf()).toBe('keep-alive')

  const exit = service.stop()
  for (const url of Object.values(looks)) {
    const body = await eventually(async () => {
      const res = await fetch(url)
      expect(res.status).toBe(503)
      return res.json()
    })
    expect(body).toMatchObject({ status: 'unavailable', 'error-codes': ['database-unavailable'] })
  }
  expect(await connectionOf()).toBe('close')
  expect(await exit).toBe(0)
  await expect(fetch(looks.health)).rejects.toThrow('fetch failed')
}, 20_000)
