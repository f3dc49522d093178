/** What fails around the gate, with real programs: nobody is let in by it, and who has a clearance is not kept out. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  ask,
  exchange,
  FETCH,
  gateFiles,
  NAVIGATION,
  PROXIES,
  startGate,
  startSite,
} from '../../support/gate.ts'
import { closeLater } from '../../support/close-later.ts'
import { CONFIG, siteWith, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { ROOT } from '../../support/root.ts'
import { SECRET } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'

async function stage() {
  const redis = await startRedis()
  const actions = [{ name: 'gate', score_threshold: 0.45 }, 'gate-pressed']
  const site = siteWith(SECRET, { hostnames: ['127.0.0.1'], actions })
  const service = await startService({
    config: { ...CONFIG, redis: { url: redis.url }, sites: [site] },
  })
  const gate = await startGate(gateFiles(service.url))
  const app = await startSite()
  const { url } = await PROXIES.nginx(gate.host, app.host)
  const newToken = () => token({ ...service.ask, origin: url, action: 'gate' })
  const { cookie } = await exchange(url, await newToken())
  return { redis, service, gate, app, url, response: await newToken(), cookie }
}

test('Redis stopped, then the service: no new clearance, and the old ones count', async () => {
  const { redis, service, app, url, response, cookie } = await stage()
  const statuses = async () => [
    (await exchange(url, response)).status,
    (await ask(url, '/', NAVIGATION)).status,
    (await ask(url, '/', { ...NAVIGATION, cookie })).status,
  ]
  await redis.stop()
  expect(await statuses()).toEqual([503, 403, 200])
  await service.kill()
  expect(await statuses()).toEqual([503, 403, 200])
  expect(app.seen).toHaveLength(2)
})

test('1,000 checks a second: each of them is right, and takes less than 50 ms', async () => {
  const { gate, cookie } = await stage()
  const host = {
    'x-forwarded-host': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '127.0.0.1',
  }
  const told = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/', ...host, ...FETCH }
  const statuses: Promise<number>[] = []
  const begun = performance.now()
  // Every other request has a clearance, within its rate of 600 a minute.
  for (let i = 0; i < 1000; i++) {
    const headers = i % 2 === 0 ? { ...told, cookie } : told
    statuses.push(ask(gate.url, '/check/forward', headers).then(({ status }) => status))
    const ahead = begun + i - performance.now()
    if (ahead > 5) await new Promise((resolve) => setTimeout(resolve, ahead))
  }
  const all = await Promise.all(statuses)
  expect(all.filter((status) => status === 204)).toHaveLength(500)
  expect(all.filter((status) => status === 401)).toHaveLength(500)
  const metrics = await gate.ops('/metrics')
  const [, fast] = /hv_gate_check_seconds_bucket\{le="0\.05"\} (\d+)/.exec(metrics) ?? []
  // The system may take the processor away from a few of them: this process makes the load, too.
  expect(Number(fast)).toBeGreaterThanOrEqual(990)
})

test('the program listens, answers, and ends with 0 at SIGTERM; a port that is taken ends it with 1', async () => {
  const run = (settings?: object) => {
    const args = ['serve', '--config', gateFiles('http://127.0.0.1:9', {}, settings)]
    const child = spawn(join(ROOT, 'packages/gate/dist/main.js'), args, {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return closeLater(child, (it) => it.kill('SIGKILL'))
  }
  const child = run()
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const { url, ops_url: opsUrl } = JSON.parse(line) as { url: string; ops_url: string }
  expect((await ask(opsUrl, '/ready')).status).toBe(200)
  expect((await ask(url, '/check/nginx', FETCH)).status).toBe(500)
  expect(await once(run({ ops_listen: new URL(opsUrl).host }), 'exit')).toEqual([1, null])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
