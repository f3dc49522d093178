/** deploy/observability: alarms and dashboard name existing metrics, and promtool confirms that the alarms fire when they should. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ownMetrics } from '../../../docs/make/metrics-table.ts'
import { createMetrics } from '../../../src/ops/metrics.ts'
import { findProgram } from '../../support/programs.mjs'
import { ROOT } from '../../support/root.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const ALARMS = 'deploy/observability/alarms.yml'
const CASES = 'test/world/deploy/alarms.yml'

test.each([ALARMS, 'deploy/observability/grafana/dashboards/human-verification.json'])(
  '%s uses only metrics that exist',
  (file) => {
    const known = new Set(ownMetrics().map(({ name }) => name))
    const named = [...new Set(read(file).match(/\bhv_[a-z_]+/g))].map((name) =>
      name.replace(/_bucket$/, ''),
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  },
)

test('each alarm has a test in which it fires', () => {
  const { groups } = parse(read(ALARMS)) as { groups: { rules: { alert: string }[] }[] }
  const alarms = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  const firing = read(CASES).matchAll(/labels: '\{alertname="(\w+)"/g)
  expect(new Set([...firing].map(([, alarm]) => alarm))).toEqual(new Set(alarms))
})

// .ci/run installs it; npm test does not, since it is a large program that nothing of ours runs on.
const promtool = findProgram('promtool')
;(promtool === undefined ? describe.skip : describe)('promtool', () => {
  test('finds each alarm firing when it should and only then', () => {
    const { status, stdout, stderr } = spawnSync(promtool!, ['test', 'rules', CASES], {
      encoding: 'utf8',
      cwd: ROOT,
    })
    expect({ status, said: stdout + stderr }).toEqual({
      status: 0,
      said: expect.stringContaining('SUCCESS'),
    })
  })

  test('accepts /metrics', async () => {
    const metrics = createMetrics({ version: '1.2.3' })
    metrics.request('siteverify', {
      sitekey: 'shop',
      code: 'low-score',
      score: 0.2,
      reasons: ['automation'],
      ms: 3,
    })
    const input = await metrics.registry.metrics()
    const { status, stderr } = spawnSync(promtool!, ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
