/** /metrics: what is counted, under which names, and that no stranger can fill it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { NetworkPrefix } from '../../../src/domain/address.ts'
import { Fault } from '../../../src/domain/codes.ts'
import { bounded, boundedLabels } from '../../../src/ops/labels.ts'
import { createMetrics } from '../../../src/ops/metrics.ts'
import type { Ledger } from '../../../src/domain/ports/stores.ts'
import { SECRET, SITEKEY, testService } from '../../support/app.ts'
import { post, token } from '../../support/visitor.ts'
import { parseExposition, valueOf } from './exposition-format.ts'

const NOW = 1_800_000_000_000

function metrics(max: Parameters<typeof boundedLabels>[0] = {}) {
  const at = { ms: NOW }
  const ledger: Pick<Ledger, 'fault' | 'fullness'> = { fault: () => undefined, fullness: () => 0 }
  const on = createMetrics({ version: '1.2.3', clock: () => at.ms, labels: boundedLabels(max) })
  on.observeProcess(ledger)
  const text = () => on.registry.metrics()
  return { ...on, at, ledger, text, read: async () => parseExposition(await text()) }
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

describe('the text', () => {
  test('is in Prometheus’ format, and has what the process is', async () => {
    const on = metrics()
    on.request('siteverify', verified('accepted'))
    on.storeCall('ledger', 'ours', 0.4)
    const families = await on.read()
    expect(families.get('hv_ledger_seconds')?.type).toBe('histogram')
    expect(families.get('hv_ledger_usable')?.type).toBe('gauge')
    expect(families.has('process_resident_memory_bytes')).toBe(true)
    expect(families.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
  })

  test('shows a count without labels before it first moves', async () => {
    expect(valueOf(await metrics().read(), 'hv_generation_moves_total')).toBe(0)
  })
})

describe('a request', () => {
  test('is counted by operation and code, with its seconds', async () => {
    const on = metrics()
    on.request('challenge', { code: 'invalid-input-sitekey', ms: 2 })
    on.request('challenge', { code: 'invalid-input-sitekey', ms: 30 })
    on.request('other', { code: 'not-found', ms: 1 })
    on.request('solve', { status: 499, ms: 1 })
    const families = await on.read()
    expect(valueOf(families, 'hv_requests_total', { operation: 'challenge', code: 'invalid-input-sitekey' })).toBe(2)
    expect(valueOf(families, 'hv_requests_total', { operation: 'other', code: 'not-found' })).toBe(1)
    expect(valueOf(families, 'hv_requests_total', { operation: 'solve', code: 'gone' })).toBe(1)
    expect(valueOf(families, 'hv_request_seconds_bucket', { operation: 'challenge', le: '0.0025' })).toBe(1)
    expect(valueOf(families, 'hv_request_seconds_count', { operation: 'challenge' })).toBe(2)
    expect(valueOf(families, 'hv_request_seconds_sum', { operation: 'challenge' })).toBeCloseTo(0.032)
  })

  test('that issued, solved and judged is counted at its site', async () => {
    const on = metrics()
    on.request('challenge', { sitekey: 'shop', code: 'issued', level: 3, ms: 1 })
    on.request('solve', { sitekey: 'shop', code: 'solved', work_ms: 700, ms: 1 })
    on.request('siteverify', verified('accepted', { score: 0.88 }))
    on.request('siteverify', verified('low-score', { score: 0.12, reasons: ['automation', 'work'] }))
    on.request('siteverify', verified('timeout-or-duplicate', { score: undefined }))
    on.request('siteverify', verified('action-mismatch', { score: 0.9, action: 'elsewhere' }))
    const families = await on.read()
    expect(valueOf(families, 'hv_challenges_issued_total', { site: 'shop' })).toBe(1)
    expect(valueOf(families, 'hv_work_level_bucket', { le: '2' })).toBe(0)
    expect(valueOf(families, 'hv_work_level_bucket', { le: '3' })).toBe(1)
    expect(valueOf(families, 'hv_tokens_issued_total', { site: 'shop' })).toBe(1)
    expect(valueOf(families, 'hv_solve_seconds_sum')).toBeCloseTo(0.7)
    for (const code of ['accepted', 'low-score', 'timeout-or-duplicate', 'action-mismatch'])
      expect(valueOf(families, 'hv_verdicts_total', { site: 'shop', code })).toBe(1)
    // A duplicate was used up before.
    expect(valueOf(families, 'hv_tokens_judged_total', { site: 'shop' })).toBe(3)
    // Only what was compared with the threshold.
    expect(valueOf(families, 'hv_score_count', { site: 'shop', action: 'sign-up' })).toBe(2)
    expect(valueOf(families, 'hv_score_bucket', { site: 'shop', action: 'sign-up', le: '0.3' })).toBe(1)
    expect(valueOf(families, 'hv_score_count', { site: 'shop', action: 'elsewhere' })).toBeUndefined()
    expect(valueOf(families, 'hv_low_score_reasons_total', { site: 'shop', reason: 'work' })).toBe(1)
  })

  // A bug: a site that never asked had no series of judged tokens, so that Prometheus found no difference, and no alarm fired.
  test('that issued a token shows its site’s judged tokens, at 0', async () => {
    const on = metrics()
    on.request('solve', { sitekey: 'shop', code: 'solved', ms: 1 })
    expect(valueOf(await on.read(), 'hv_tokens_judged_total', { site: 'shop' })).toBe(0)
  })

  test('with a score or a time that is no number spoils nothing', async () => {
    const on = metrics()
    on.request('siteverify', verified('accepted', { score: NaN }))
    on.request('solve', { sitekey: 'shop', code: 'solved', work_ms: Infinity, ms: 1 })
    const families = await on.read()
    expect(valueOf(families, 'hv_score_count', { site: 'shop', action: 'sign-up' })).toBeUndefined()
    expect(valueOf(families, 'hv_solve_seconds_count')).toBe(0)
  })
})

describe('labels are bounded', () => {
  test('the first values keep their name, later ones are other, the same value stays what it was', () => {
    const label = bounded(2)
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other', 'b'])
  })

  test('ten thousand actions of one site, and ten thousand sites, make a page of bounded length', async () => {
    const on = metrics({ sites: 20, pairs: 30, actions: 5 })
    for (let i = 0; i < 10_000; i++) {
      on.request('siteverify', verified('accepted', { action: `a${i}` }))
      on.request('siteverify', verified('accepted', { sitekey: `s${i}` }))
    }
    const families = await on.read()
    const of = (name: string, label: string) =>
      new Set(families.get(name)!.samples.map(({ labels: found }) => found[label]))
    expect(of('hv_verdicts_total', 'site').size).toBe(21)
    expect(of('hv_score', 'action').size).toBeLessThanOrEqual(7)
    expect(of('hv_score', 'action')).toContain('other')
    const count = (name: string) =>
      families.get(name)!.samples.filter(({ labels: found }) => [undefined, '+Inf'].includes(found['le']))
    expect(count('hv_score').length).toBeLessThan(3 * 60)
    // Nothing is lost: what has no label of its own is under `other`.
    const all = families.get('hv_verdicts_total')!.samples.reduce((sum, { value }) => sum + value, 0)
    expect(all).toBe(20_000)
  })
})

test('what is in force, since when, and what was refused', async () => {
  const on = metrics()
  const about = async (what: string) => {
    const families = await on.read()
    return [
      valueOf(families, 'hv_in_force_since_timestamp_seconds', { what }),
      valueOf(families, 'hv_reload_refused', { what }),
    ]
  }
  expect(await about('configuration')).toEqual([NOW / 1000, 0])
  on.at.ms += 60_000
  on.reloaded('configuration', '3 to fix, first: 31:22')
  expect(await about('configuration')).toEqual([NOW / 1000, 1])
  on.reloaded('configuration')
  expect(await about('configuration')).toEqual([NOW / 1000 + 60, 0])
  expect(await about('keyring')).toEqual([NOW / 1000, 0])
  const families = await on.read()
  expect(valueOf(families, 'hv_reloads_total', { what: 'configuration', outcome: 'refused' })).toBe(1)
})

test('a ledger that cannot be used, moves of its generation, refused requests and lost lines', async () => {
  const on = metrics()
  expect(valueOf(await on.read(), 'hv_ledger_usable')).toBe(1)
  on.ledger.fault = () => new Fault('database-unavailable')
  on.generationMoved()
  on.linesLost(12)
  on.shed(7)
  const families = await on.read()
  expect(valueOf(families, 'hv_ledger_usable')).toBe(0)
  expect(valueOf(families, 'hv_generation_moves_total')).toBe(1)
  expect(valueOf(families, 'hv_log_lines_lost_total')).toBe(12)
  expect(valueOf(families, 'hv_requests_shed_total')).toBe(7)
})

test('a repeat with its idempotency_key uses nothing up, and is counted once more (docs/operate/metrics.md)', async () => {
  const on = metrics()
  const service = await testService({ meters: on })
  const fields = { secret: SECRET, response: await token(service.ask), idempotency_key: randomUUID() }
  const verify = () => post(`${service.base}/api/v1/siteverify`, fields)
  const [first, again] = [await verify(), await verify()]
  expect(again.body).toEqual(first.body)
  expect(first.body).toMatchObject({ success: true })
  await service.stop(0)
  expect(valueOf(await on.read(), 'hv_verdicts_total', { site: SITEKEY, code: 'accepted' })).toBe(2)
})
