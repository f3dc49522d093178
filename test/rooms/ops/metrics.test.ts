/** /metrics: what is counted, under which names, and that no stranger can fill it. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { NetworkPrefix } from '../../../src/domain/address.ts'
import { Fault } from '../../../src/domain/codes.ts'
import { boundedLabels } from '../../../src/ops/labels.ts'
import { createMetrics } from '../../../src/ops/metrics.ts'
import type { Ledger } from '../../../src/domain/ports.ts'
import { SECRET, SITEKEY, testService } from '../../support/app.ts'
import { post, token } from '../../support/visitor.ts'

const NOW = 1_800_000_000_000

function metrics(max: Parameters<typeof boundedLabels>[0] = {}) {
  const at = { ms: NOW }
  const ledger: Pick<Ledger, 'fault' | 'fullness' | 'clockAhead'> = {
    fault: () => undefined,
    fullness: () => 0,
    clockAhead: () => 0,
  }
  const on = createMetrics({ version: '1.2.3', clock: () => at.ms, labels: boundedLabels(max) })
  on.observeProcess(ledger)
  /** Every series of the page, by its name and labels as the page spells them. */
  const read = async (): Promise<Record<string, number>> => {
    const lines = (await on.registry.metrics())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    return Object.fromEntries(
      lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)![0])]),
    )
  }
  return { ...on, at, ledger, read }
}

const verified = (code: string, change = {}) => ({
  sitekey: 'shop',
  action: 'sign-up',
  score: 0.7,
  code,
  ms: 3,
  network: '203.0.113.0/24' as NetworkPrefix,
  ...change,
})

test('a request is counted by operation and code, with its seconds', async () => {
  const on = metrics()
  on.request('challenge', { code: 'invalid-input-sitekey', ms: 2 })
  on.request('challenge', { code: 'invalid-input-sitekey', ms: 30 })
  on.request('other', { code: 'not-found', ms: 1 })
  on.request('solve', { status: 499, ms: 1 })
  expect(await on.read()).toMatchObject({
    'hv_requests_total{operation="challenge",code="invalid-input-sitekey"}': 2,
    'hv_requests_total{operation="other",code="not-found"}': 1,
    'hv_requests_total{operation="solve",code="gone"}': 1,
    'hv_request_seconds_bucket{le="0.0025",operation="challenge"}': 1,
    'hv_request_seconds_count{operation="challenge"}': 2,
    'hv_request_seconds_sum{operation="challenge"}': expect.closeTo(0.032),
  })
})

test('a request that issued, solved or judged is counted at its site', async () => {
  const on = metrics()
  on.request('challenge', { sitekey: 'shop', code: 'issued', level: 3, ms: 1 })
  on.request('solve', { sitekey: 'shop', code: 'solved', work_ms: 700, ms: 1 })
  // A site that never asked had no such series, so that Prometheus found no difference, and no alarm fired.
  expect(await on.read()).toMatchObject({ 'hv_tokens_judged_total{site="shop"}': 0 })
  on.request('siteverify', verified('accepted', { score: 0.88 }))
  on.request('siteverify', verified('low-score', { score: 0.12, reasons: ['automation', 'work'] }))
  on.request('siteverify', verified('timeout-or-duplicate', { score: undefined }))
  on.request('siteverify', verified('action-mismatch', { score: 0.9, action: 'elsewhere' }))
  const page = await on.read()
  expect(page).toMatchObject({
    'hv_challenges_issued_total{site="shop"}': 1,
    'hv_work_level_bucket{le="2"}': 0,
    'hv_work_level_bucket{le="3"}': 1,
    'hv_tokens_issued_total{site="shop"}': 1,
    hv_solve_seconds_sum: 0.7,
    'hv_verdicts_total{site="shop",code="accepted"}': 1,
    'hv_verdicts_total{site="shop",code="low-score"}': 1,
    'hv_verdicts_total{site="shop",code="timeout-or-duplicate"}': 1,
    'hv_verdicts_total{site="shop",code="action-mismatch"}': 1,
    // A duplicate was used up before.
    'hv_tokens_judged_total{site="shop"}': 3,
    // Only what was compared with the threshold.
    'hv_score_count{site="shop",action="sign-up"}': 2,
    'hv_score_bucket{le="0.3",site="shop",action="sign-up"}': 1,
    'hv_low_score_reasons_total{site="shop",reason="work"}': 1,
  })
  expect(page).not.toHaveProperty(['hv_score_count{site="shop",action="elsewhere"}'])
})

test('a score or a time that is no number spoils nothing', async () => {
  const on = metrics()
  on.request('siteverify', verified('accepted', { score: NaN }))
  on.request('solve', { sitekey: 'shop', code: 'solved', work_ms: Infinity, ms: 1 })
  const page = await on.read()
  expect(page).not.toHaveProperty(['hv_score_count{site="shop",action="sign-up"}'])
  expect(page).toMatchObject({ hv_solve_seconds_count: 0 })
})

test('ten thousand actions of one site, and ten thousand sites, make a page of bounded length', async () => {
  const on = metrics({ sites: 20, pairs: 30, actions: 5 })
  for (let i = 0; i < 10_000; i++) {
    on.request('siteverify', verified('accepted', { action: `a${i}` }))
    on.request('siteverify', verified('accepted', { sitekey: `s${i}` }))
  }
  const page = Object.entries(await on.read())
  const series = (start: string) => page.filter(([name]) => name.startsWith(start))
  expect(series('hv_verdicts_total{')).toHaveLength(21)
  expect(series('hv_score_count{').length).toBeLessThanOrEqual(60)
  expect(series('hv_score_count{').join()).toContain('action="other"')
  // Nothing is lost: counts without their own label are under `other`.
  expect(series('hv_verdicts_total{').reduce((sum, [, value]) => sum + value, 0)).toBe(20_000)
})

test('the page shows the current version, its age, and what was refused', async () => {
  const on = metrics()
  const inForce = (since: number, refused: number) => ({
    'hv_in_force_since_timestamp_seconds{what="configuration"}': since,
    'hv_reload_refused{what="configuration"}': refused,
    'hv_in_force_since_timestamp_seconds{what="keyring"}': NOW / 1000,
  })
  expect(await on.read()).toMatchObject(inForce(NOW / 1000, 0))
  on.at.ms += 60_000
  on.reloaded('configuration', '3 to fix, first: 31:22')
  expect(await on.read()).toMatchObject(inForce(NOW / 1000, 1))
  on.reloaded('configuration')
  expect(await on.read()).toMatchObject({
    ...inForce(NOW / 1000 + 60, 0),
    'hv_reloads_total{what="configuration",outcome="refused"}': 1,
  })
})

test('a ledger that cannot be used, moves of its generation, refused requests and lost lines are counted', async () => {
  const on = metrics()
  const page = await on.read()
  expect(page).toMatchObject({ hv_ledger_usable: 1, hv_generation_moves_total: 0 })
  // The dashboard of deploy/observability draws them.
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(page).toHaveProperty([name])
  on.ledger.fault = () => new Fault('database-unavailable')
  on.generationMoved()
  on.linesLost(12)
  on.shed(7)
  expect(await on.read()).toMatchObject({
    hv_ledger_usable: 0,
    hv_generation_moves_total: 1,
    hv_log_lines_lost_total: 12,
    hv_requests_shed_total: 7,
  })
})

test('a repeat with its idempotency_key uses nothing up, and is counted once more (docs/operate/metrics.md)', async () => {
  const on = metrics()
  const service = await testService({ meters: on })
  const fields = {
    secret: SECRET,
    response: await token(service.ask),
    idempotency_key: randomUUID(),
  }
  const verify = () => post(`${service.base}/api/v1/siteverify`, fields)
  const [first, again] = [await verify(), await verify()]
  expect(again.body).toEqual(first.body)
  expect(first.body).toMatchObject({ success: true })
  expect(await on.read()).toMatchObject({
    [`hv_verdicts_total{site="${SITEKEY}",code="accepted"}`]: 2,
  })
})
