/**
 * deploy/observability in a real Prometheus, beside a real instance with visitors. Every rule is evaluated, every
 * panel's question has an answer, and what Prometheus adds up is what the load generator counted.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { findProgram } from '../../support/programs.mjs'
import { keyringFile, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { freePort } from '../../support/ports.mjs'
import { listening, startRedis, type TestRedis } from '../../support/redis.ts'
import { type Crowd, crowd } from './crowd.ts'
import { type Counted, emptyCounts, MIXED, mixedLoad } from './mixed-load.ts'

const OBSERVABILITY = join(import.meta.dirname, '../../../deploy/observability')
interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}
const dashboard = JSON.parse(
  readFileSync(join(OBSERVABILITY, 'grafana/dashboards/human-verification.json'), 'utf8'),
) as { panels: Panel[]; templating: { list: { query: { query: string } }[] } }
const questions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legend: legendFormat })),
)
const alarms = parse(readFileSync(join(OBSERVABILITY, 'alarms.yml'), 'utf8')) as {
  groups: { rules: { alert: string }[] }[]
}
const names = alarms.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))

interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}
interface Prometheus {
  readonly url: string
  stop(): Promise<void>
}

/** The shipped file, with our instance in the place of Docker's names, and asking often: a test has no quarter of an hour. */
async function startPrometheus(program: string, target: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'hv-prometheus-'))
  const shipped = parse(readFileSync(join(OBSERVABILITY, 'prometheus.yml'), 'utf8')) as {
    scrape_configs: { job_name: string }[]
  }
  const [scrape] = shipped.scrape_configs
  const file = {
    ...shipped,
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: [join(OBSERVABILITY, 'alarms.yml')],
    scrape_configs: [{ job_name: scrape!.job_name, static_configs: [{ targets: [target] }] }],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(file))
  const port = await freePort()
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  const child = spawn(program, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await listening(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// .ci/run installs it; npm test does not, since it is a large program that nothing of ours runs on.
const program = findProgram('prometheus')
;(program === undefined ? describe.skip : describe)('in a real Prometheus', () => {
  let redis: TestRedis
  let service: ServiceProcess
  let prometheus: Prometheus
  let callers: Crowd
  const counted: Counted = emptyCounts()

  async function asked<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`${prometheus.url}/api/v1/${path}`)).json()) as { data: T; error?: string }
    expect([path, answer.error]).toEqual([path, undefined])
    return answer.data
  }
  const ask = async (promql: string): Promise<readonly Series[]> =>
    (await asked<{ result: Series[] }>(`query?query=${encodeURIComponent(promql)}`)).result

  beforeAll(async () => {
    redis = await startRedis()
    service = await startService({ config: MIXED, keyring: keyringFile(), env: { HV_REDIS_URL: redis.url } })
    prometheus = await startPrometheus(program!, new URL(service.opsUrl).host)
    callers = crowd(16)
    // Twice: a rate is what came between two looks, and the first look at a count is not between two.
    for (const each of [5, 20]) {
      await mixedLoad(callers, [service], counted, each)
      await allRead()
    }
  }, 120_000)

  /** Prometheus has looked, twice, since the last request. */
  async function allRead(): Promise<void> {
    const total = [...counted.requests.values()].reduce((sum, n) => sum + n, 0)
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(200)) {
      const [sum] = await ask('sum(hv_requests_total)')
      if (Number(sum?.value[1]) >= total) break
    }
    await sleep(1000)
  }
  afterAll(async () => {
    await callers?.close()
    await prometheus?.stop()
    await service?.kill()
    await redis?.remove()
  })

  test('it reads what was counted', async () => {
    const series = await ask('sum by (operation, code) (hv_requests_total)')
    const read = series.map(({ metric, value }) => [`${metric['operation']} ${metric['code']}`, Number(value[1])])
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(counted.requests))
  })

  test.each(questions)('panel "$title", $legend: has an answer', async ({ expr, legend }) => {
    const series = await ask(expr.replaceAll('$site', '.*').replaceAll('$__rate_interval', '1m'))
    expect(series.length).toBeGreaterThan(0)
    expect(series.filter(({ value }) => Number.isNaN(Number(value[1])))).toEqual([])
    for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g))
      expect(series.map(({ metric }) => label in metric)).not.toContain(false)
  })

  test('the panels show what happened, not zeros', async () => {
    const one = async (title: string, nth = 0): Promise<number> => {
      const { expr } = questions.filter((each) => each.title === title)[nth]!
      return (await ask(expr.replaceAll('$site', '.*'))).reduce((sum, { value }) => sum + Number(value[1]), 0)
    }
    expect(await one('Processes that answer')).toBe(1)
    expect(await one('Processes that answer', 1)).toBe(1)
    expect(await one('Accepted of all verdicts, 5 min')).toBeLessThan(1)
    expect(await one('Requests by operation and code')).toBeGreaterThan(0)
    expect(await one('Answer time of siteverify')).toBeGreaterThan(0)
  })

  test('its list of sites is that of the sites that were asked for', async () => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(dashboard.templating.list[0]!.query.query)!
    const sites = await ask(`count by (${label}) (${metric})`)
    expect(new Set(sites.map(({ metric: by }) => by[label!]))).toEqual(new Set(counted.tokens.keys()))
  })

  test('every rule is evaluated without a complaint, and of a service that is well none fires', async () => {
    const { groups } = await asked<{
      groups: { rules: { name: string; health: string; lastError?: string; state: string }[] }[]
    }>('rules')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.map(({ name }) => name)).toEqual(names)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    expect(rules.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([])
  })

  test('a ledger that is lost is seen', async () => {
    await redis.stop()
    const pending = async () =>
      (await asked<{ alerts: { labels: { alertname: string } }[] }>('alerts')).alerts.map(
        ({ labels }) => labels.alertname,
      )
    for (const end = Date.now() + 15_000; Date.now() < end; await sleep(250)) {
      if ((await pending()).includes('HvLedgerUnusable')) return
    }
    expect(await pending()).toContain('HvLedgerUnusable')
  }, 30_000)
})
