/** deploy/observability: alarms and dashboard name metrics that there are; promtool says that the alarms fire when they should. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ownMetrics } from '../../../docs/make/metrics-table.ts'
import { createMetrics } from '../../../src/ops/metrics.ts'
import { findProgram } from '../../support/programs.mjs'
import { ROOT } from './root.ts'

const sample = (file: string): string => readFileSync(join(ROOT, 'deploy/observability', file), 'utf8')
const alarms = parse(sample('alarms.yml')) as {
  groups: { rules: { alert: string; labels: { severity: string }; annotations: { summary: string } }[] }[]
}
const rules = alarms.groups.flatMap((group) => group.rules)

const known = new Set(ownMetrics().map(({ name }) => name))
const namesIn = (text: string) => [...new Set(text.match(/\bhv_[a-z_]+/g))].map((name) => name.replace(/_bucket$/, ''))

test.each([
  ['alarms', sample('alarms.yml')],
  ['dashboard', sample('grafana/dashboards/human-verification.json')],
])('the %s name metrics that there are', (_what, text) => {
  expect(namesIn(text).filter((name) => !known.has(name))).toEqual([])
  expect(namesIn(text).length).toBeGreaterThan(5)
})

test('each alarm says what it means, and whether it may wait', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(alert).toMatch(/^Hv[A-Z]/)
    expect([alert, ['page', 'notice'].includes(labels.severity), annotations.summary.length > 20]).toEqual([
      alert,
      true,
      true,
    ])
  }
})

test('each alarm has a case that it fires at', () => {
  const { tests } = parse(readFileSync(join(ROOT, 'test/world/deploy/alarms.yml'), 'utf8')) as {
    tests: { alert_rule_test?: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const cases = tests.flatMap(({ alert_rule_test: each = [] }) => each).filter(({ exp_alerts: fires }) => fires)
  const fired = new Set(cases.map(({ alertname }) => alertname))
  expect([...fired].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
})

// .ci/run installs it, and then test/world/instances/prometheus.test.ts runs the whole in a Prometheus.
const promtool = findProgram('promtool')
;(promtool === undefined ? describe.skip : describe)('promtool', () => {
  test.each([
    ['takes the configuration, and the alarms with it', ['check', 'config', 'deploy/observability/prometheus.yml']],
    ['finds each alarm firing when it should, and only then', ['test', 'rules', 'test/world/deploy/alarms.yml']],
  ])('%s', (_what, args) => {
    const { status, stdout, stderr } = spawnSync(promtool!, args, { encoding: 'utf8', cwd: ROOT })
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') })
  })

  test('takes /metrics', async () => {
    const metrics = createMetrics({ version: '1.2.3' })
    metrics.request('siteverify', { sitekey: 'shop', code: 'low-score', score: 0.2, reasons: ['automation'], ms: 3 })
    const input = await metrics.registry.metrics()
    const { status, stderr } = spawnSync(promtool!, ['check', 'metrics'], { input, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

test('the dashboard has panels with places of their own', () => {
  const { panels } = JSON.parse(sample('grafana/dashboards/human-verification.json')) as {
    panels: { id: number; gridPos: { x: number; y: number } }[]
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length)
})
