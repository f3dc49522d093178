/** A SIGTERM behind a load balancer costs nobody an answer: nginx, and who watches. test/world/faults has haproxy. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { eventually } from '../../support/ledger-contract.ts'
import { type Proxy, startNginx } from '../../support/proxies.ts'
import { keyringFile, SECRET, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let services: ServiceProcess[] = []
let proxy: Proxy | undefined
let redis: TestRedis | undefined
afterEach(async () => {
  await proxy?.stop()
  for (const service of services) await service.kill()
  await redis?.remove()
  services = []
  proxy = undefined
})

/** Asks on a connection that is kept, as a customer's server does. @returns the status, and the Connection header. */
function ask(url: string, agent: Agent): Promise<{ status: number; connection: string | undefined }> {
  const body = `secret=${SECRET}&response=not-a-token`
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v1/siteverify`, { method: 'POST', agent, headers }, (res) => {
      res.resume()
      res.once('end', () => resolve({ status: res.statusCode ?? 0, connection: res.headers.connection }))
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

/** Eight customers who ask without a pause. */
function crowd(url: string) {
  const statuses = new Map<number | string, number>()
  const crowding = new AbortController()
  const customers = Array.from({ length: 8 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!crowding.signal.aborted) {
      const answer = await ask(url, agent).then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code ?? 'error',
      )
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1)
    }
    agent.destroy()
  })
  const sum = (): number => [...statuses.values()].reduce((total, count) => total + count, 0)
  return {
    statuses,
    /** Waits for so many more answers. */
    async answers(more: number) {
      for (const enough = sum() + more; sum() < enough;) await sleep(20)
    },
    async stop() {
      crowding.abort()
      await Promise.all(customers)
    },
  }
}

/** What the unit of systemd sets for one instance, its own files and `HV_CONFIG` aside. */
function unitEnvironment(instance: number): Record<string, string> {
  const unit = readFileSync(join(import.meta.dirname, '../../../deploy/systemd/human-verification@.service'), 'utf8')
  const set = [...unit.matchAll(/^Environment=(HV_\w*LISTEN)=(.*)$/gm)]
  return Object.fromEntries(set.map(([, name, value]) => [name, value!.replaceAll('%i', String(instance))]))
}

describe('behind nginx', () => {
  test('two instances of the unit of systemd share the load; one ends, and no request fails', async () => {
    redis = await startRedis()
    const keyring = keyringFile()
    const start = (instance: number): Promise<ServiceProcess> =>
      startService({ keyring, env: { ...unitEnvironment(instance), HV_REDIS_URL: redis!.url } })
    // The operators' listener takes the port with a 1 before it.
    const ports = [4000 + (process.pid % 1000), 5000 + (process.pid % 1000)]
    services = await Promise.all(ports.map(start))
    expect(services.map(({ url, opsUrl }) => [url, opsUrl])).toEqual(
      ports.map((port) => [`http://127.0.0.1:${port}`, `http://127.0.0.1:1${port}`]),
    )
    proxy = await startNginx(services.map(({ url }) => url))
    const customers = crowd(proxy.url)
    for (const service of services) {
      while (service.lines().filter(({ message }) => message === 'siteverify').length <= 50) await sleep(20)
    }
    expect(await services[0]!.stop()).toBe(0)
    await customers.answers(100)
    await customers.stop()
    expect([...customers.statuses.keys()]).toEqual([200])
  }, 90_000)
})

describe('an instance that somebody watches', () => {
  test('says 503 to its watchers first, still answers others and ends their connections, and then goes', async () => {
    const service = await startService()
    services = [service]
    const looks = { health: `${service.url}/health`, ready: `${service.opsUrl}/ready` }
    // Who asks more than once, in a second or so, is a watcher.
    for (let i = 0; i < 3; i++, await sleep(250)) expect((await fetch(looks.health)).status).toBe(200)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(service.url, agent)).toEqual({ status: 200, connection: 'keep-alive' })

    const exit = service.stop()
    for (const url of Object.values(looks)) {
      const res = await eventually(async () => {
        const answer = await fetch(url)
        expect(answer.status).toBe(503)
        return answer
      })
      expect(await res.json()).toMatchObject({ status: 'unavailable', 'error-codes': ['database-unavailable'] })
    }
    expect(await ask(service.url, agent)).toEqual({ status: 200, connection: 'close' })
    expect(await exit).toBe(0)
    await expect(fetch(looks.health)).rejects.toThrow('fetch failed')
    agent.destroy()
  }, 20_000)
})
