/** docs/operate/operations.md, "Several processes": one command, one port, one ops listener; SIGHUP replaces them and refuses nobody. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { afterEach, expect, test } from '@jest/globals'
import {
  CONFIG,
  NotStarted,
  ORIGIN,
  SECRET,
  type ServiceOptions,
  type ServiceProcess,
  SITEKEY,
  startService,
} from '../../support/process.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

async function startTwo(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const redis = await startRedis()
  undo.push(() => redis.remove())
  const service = await startService({ env: { HV_REDIS_URL: redis.url }, args: ['--processes', '2'], ...options })
  undo.push(() => service.stop())
  return service
}

/** The processes that a process has started. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

const text = async (url: string): Promise<string> => (await fetch(url)).text()
const verify = (service: ServiceProcess, response: string) =>
  post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })

test('two processes share port, ledger and keyring; the ops listener answers for both', async () => {
  const service = await startTwo()
  expect(childrenOf(service.pid)).toHaveLength(2)
  const tokens = await Promise.all(Array.from({ length: 6 }, () => token(service.ask)))
  const answers = await Promise.all([...tokens, ...tokens].map((each) => verify(service, each)))
  expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(6)

  expect((await fetch(`${service.opsUrl}/ready`)).status).toBe(200)
  expect((await fetch(`${service.opsUrl}/live`, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${service.opsUrl}/nowhere`)).status).toBe(404)
  expect(await text(`${service.opsUrl}/`)).toContain('<!doctype html>')
  const metrics = await text(`${service.opsUrl}/metrics`)
  expect(metrics.match(/^hv_ledger_usable\{.*$/gm)).toEqual([
    'hv_ledger_usable{process="1"} 1',
    'hv_ledger_usable{process="2"} 1',
  ])
  expect(metrics.match(/^# TYPE hv_ledger_usable /gm)).toHaveLength(1)
  const verdicts = [...metrics.matchAll(/^hv_verdicts_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  expect(verdicts.reduce((sum, count) => sum + count, 0)).toBe(12)
})

test('SIGHUP replaces both under load, and no request is refused', async () => {
  const service = await startTwo()
  const before = childrenOf(service.pid)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const statuses: number[] = []
  const over = new AbortController()
  const one = async (): Promise<void> => {
    while (!over.signal.aborted) {
      statuses.push(await ask(service.url, agent, 'GET', '/health'))
      statuses.push(await ask(service.url, agent, 'POST', '/api/v1/challenge'))
    }
  }
  const load = Promise.all(Array.from({ length: 8 }, one))
  service.signal('SIGHUP')
  await eventually(() => expect(service.said()).toContain('processes replaced'), 60_000)
  over.abort()
  await load
  agent.destroy()
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const after = childrenOf(service.pid)
  expect(after).toHaveLength(2)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
})

const CHALLENGE = `sitekey=${SITEKEY}&action=sign-up`
const HEADERS = { ...BROWSER, origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }

/**
 * @param agent false: on a new connection.
 * @returns 0 when there is no answer. Where a kept connection was closed while it was idle, it is asked again on a new one: the agent's
 *   next may be closed just as well.
 */
function ask(url: string, agent: Agent | false, method: 'GET' | 'POST', path: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(`${url}${path}`, { method, agent, headers: HEADERS }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0))
    })
    asked.on('error', () => resolve(asked.reusedSocket ? ask(url, false, method, path) : 0))
    asked.end(method === 'POST' ? CHALLENGE : undefined)
  })
}

test('a process that dies has its place taken, and its metrics keep their number', async () => {
  const service = await startTwo()
  const [first, second] = childrenOf(service.pid)
  process.kill(first!, 'SIGKILL')
  await eventually(() => {
    const now = childrenOf(service.pid)
    expect(now).toHaveLength(2)
    expect(now).toContain(second)
    expect(now).not.toContain(first)
  }, 30_000)
  expect(service.said()).toContain('process 1: SIGKILL; another takes its place')
  await eventually(async () => {
    expect(await text(`${service.opsUrl}/metrics`)).toContain('hv_ledger_usable{process="1"} 1')
  }, 30_000)
  expect((await verify(service, await token(service.ask))).body).toMatchObject({ success: true })
})

test('a configuration that cannot start changes nothing at SIGHUP; the end ends all', async () => {
  const service = await startTwo({ config: CONFIG })
  const before = childrenOf(service.pid)
  writeFileSync(service.configFile, 'version: 7')
  service.signal('SIGHUP')
  await eventually(() => expect(service.said()).toContain('processes not replaced'), 30_000)
  expect(childrenOf(service.pid)).toEqual(before)
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  expect(await service.stop()).toBe(0)
  for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('without Redis there is one process: two are refused with the way out, auto is one', async () => {
  await expect(startService({ args: ['--processes', '2'] })).rejects.toThrow(NotStarted)
  await expect(startService({ args: ['--processes', '2'] })).rejects.toThrow('--processes 2 wants Redis')
  const alone = await startService({ args: ['--processes', 'auto'] })
  undo.push(() => alone.stop())
  expect(childrenOf(alone.pid)).toEqual([])
})
