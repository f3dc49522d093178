/** A SIGTERM behind a load balancer costs nobody an answer: nginx, and who watches. test/world/faults has haproxy. */
import { afterEach, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/ledger-contract.ts'
import { keyringFile, SECRET, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { startNginx } from '../../support/proxies.ts'
import { startRedis } from '../../support/redis.ts'
import { ROOT } from '../../support/root.ts'
import { post } from '../../support/visitor.ts'
import { underLoad } from './crowd.ts'

const close: (() => unknown)[] = []
afterEach(async () => {
  for (const each of close.splice(0).toReversed()) await each()
})
const ask = (url: string) => post(`${url}/api/v1/siteverify`, { secret: SECRET, response: 'not-a-token' })

/** What the unit of systemd sets for one instance, its own files and `HV_CONFIG` aside. */
function unitEnvironment(instance: number): Record<string, string> {
  const unit = readFileSync(join(ROOT, 'deploy/systemd/human-verification@.service'), 'utf8')
  const set = [...unit.matchAll(/^Environment=(HV_\w*LISTEN)=(.*)$/gm)]
  return Object.fromEntries(set.map(([, name, value]) => [name, value!.replaceAll('%i', String(instance))]))
}

test('two instances of the systemd unit behind nginx: one ends under load, and no request fails', async () => {
  const redis = await startRedis()
  close.push(() => redis.remove())
  const keyring = keyringFile()
  const start = (instance: number): Promise<ServiceProcess> =>
    startService({ keyring, env: { ...unitEnvironment(instance), HV_REDIS_URL: redis.url } })
  // The operators' listener takes the port with a 1 before it.
  const ports = [4000 + (process.pid % 1000), 5000 + (process.pid % 1000)]
  const services = await Promise.all(ports.map(start))
  close.push(() => Promise.all(services.map((service) => service.kill())))
  expect(services.map(({ url, opsUrl }) => [url, opsUrl])).toEqual(
    ports.map((port) => [`http://127.0.0.1:${port}`, `http://127.0.0.1:1${port}`]),
  )
  const proxy = await startNginx(services.map(({ url }) => url))
  close.push(() => proxy.stop())
  const answers = await underLoad(
    100,
    () => ask(proxy.url),
    async () => {
      for (const service of services)
        while (service.lines().filter(({ message }) => message === 'siteverify').length <= 50) await sleep(20)
      expect(await services[0]!.stop()).toBe(0)
      await sleep(1000)
    },
  )
  expect(answers.filter((answer) => answer instanceof Error || answer.status !== 200)).toEqual([])
}, 90_000)

test('an instance that is checked by a load balancer fails the checks first, then finishes the other requests, then ends', async () => {
  const service = await startService()
  close.push(() => service.kill())
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
