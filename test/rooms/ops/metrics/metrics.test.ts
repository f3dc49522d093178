/** /metrics: what is counted, under which names, and that no stranger can fill it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { exposition, GAUGES } from '../../../../src/ops/metrics/exposition.ts'
import { FAMILIES } from '../../../../src/ops/metrics/metric-table.ts'
import { bounded, labels } from '../../../../src/ops/metrics/labels.ts'
import { meters } from '../../../../src/ops/metrics/meters.ts'
import { reloadState } from '../../../../src/ops/metrics/reload-state.ts'
import { tally } from '../../../../src/ops/metrics/tally.ts'
import { tokenBalance } from '../../../../src/ops/metrics/token-balance.ts'
import { topNetworks } from '../../../../src/ops/metrics/top-networks.ts'
import type { NetworkPrefix } from '../../../../src/domain/address.ts'
import { Fault } from '../../../../src/domain/codes.ts'
import { unixSeconds } from '../../../../src/domain/words.ts'
import type { Ledger } from '../../../../src/ports/stores.ts'
import { SECRET, SITEKEY, testService } from '../../../support/app.ts'
import { post, token } from '../../../support/visitor.ts'
import { parseExposition, valueOf } from './exposition-format.ts'

const NOW = 1_800_000_000_000

function parts(most: Parameters<typeof labels>[0] = {}) {
  const at = { ms: NOW }
  const counts = tally()
  const balance = tokenBalance(counts)
  const reloads = reloadState(() => at.ms)
  const limited = topNetworks()
  const ledger: Pick<Ledger, 'fault' | 'fullness'> = { fault: () => undefined, fullness: () => 0 }
  const told = meters({ counts, labels: labels(most), balance, reloads, limited })
  const expose = exposition({ counts, reloads, ledger, version: '1.2.3', ofProcess: true })
  const read = async () => parseExposition((await expose()).text)
  return { at, counts, balance, limited, ledger, read, ...told }
}

const verified = (code: string, change = {}) => ({
  sitekey: 'shop',
  action: 'sign-up',
  score: 0.7,
  code,
  ms: 3,
  network: '203.0.113.0/24' as NetworkPrefix,
  token_ends: unixSeconds(NOW / 1000 + 120),
  ...change,
})

describe('the text', () => {
  test('is in Prometheus’ format, every family with help and type, and has what the process is', async () => {
    const on = parts()
    on.request('siteverify', verified('accepted'))
    on.storeCall('ledger', 'ours', 0.4)
    const families = await on.read()
    for (const { name, type } of Object.values(FAMILIES)) expect(families.get(name)?.type).toBe(type)
    for (const name of Object.keys(GAUGES)) expect(families.get(name)?.type).toBe('gauge')
    expect(families.has('process_resident_memory_bytes')).toBe(true)
    expect(families.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
  })

  test('has names that say unit and kind', () => {
    for (const { name, type, help } of Object.values(FAMILIES)) {
      expect(name).toMatch(/^hv_[a-z_]+$/)
      expect(name.endsWith('_total')).toBe(type === 'counter')
      expect(help).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('shows a count without labels before it first moves', async () => {
    expect(valueOf(await parts().read(), 'hv_generation_moves_total')).toBe(0)
  })
})

describe('a request', () => {
  test('is counted by operation and code, with its seconds', async () => {
    const on = parts()
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
    const on = parts()
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
    // Only what was held against the threshold.
    expect(valueOf(families, 'hv_score_count', { site: 'shop', action: 'sign-up' })).toBe(2)
    expect(valueOf(families, 'hv_score_bucket', { site: 'shop', action: 'sign-up', le: '0.3' })).toBe(1)
    expect(valueOf(families, 'hv_score_count', { site: 'shop', action: 'elsewhere' })).toBeUndefined()
    expect(valueOf(families, 'hv_low_score_reasons_total', { site: 'shop', reason: 'work' })).toBe(1)
  })

  test('with a score or a time that is no number spoils nothing', async () => {
    const on = parts()
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
    const on = parts({ sites: 20, pairs: 30, actions: 5 })
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

  test('networks that are refused are no labels; the most frequent are kept, whoever else comes', async () => {
    const on = parts()
    for (let i = 0; i < 5000; i++) {
      on.request('challenge', {
        code: 'rate-limit-exceeded',
        network: `2001:db8:${i.toString(16)}::/48` as NetworkPrefix,
        ms: 1,
      })
      if (i % 5 === 0)
        on.request('challenge', { code: 'rate-limit-exceeded', network: '203.0.113.0/24' as NetworkPrefix, ms: 1 })
    }
    expect(JSON.stringify([...(await on.read())])).not.toMatch(/203\.0\.113|2001:db8/)
    const top = on.limited.drain()
    expect(top.size).toBe(100)
    expect([...top].sort((a, b) => b[1] - a[1])[0]![0]).toBe('203.0.113.0/24')
    expect(top.get('203.0.113.0/24')).toBeGreaterThanOrEqual(1000)
    expect(on.limited.drain().size).toBe(0)
  })
})

describe('tokens that nobody verified', () => {
  const ended = async (on: ReturnType<typeof parts>) => {
    const families = await on.read()
    const of = (name: string) => valueOf(families, name, { site: 'shop' }) ?? 0
    return { ended: of('hv_tokens_ended_total'), judged: of('hv_tokens_ended_judged_total') }
  }

  test('are told when their life is over, and not before', async () => {
    const on = parts()
    const ends = unixSeconds(NOW / 1000 + 120)
    for (let i = 0; i < 5; i++) on.request('solve', { sitekey: 'shop', code: 'solved', token_ends: ends, ms: 1 })
    for (const code of ['accepted', 'timeout-or-duplicate', 'low-score']) on.request('siteverify', verified(code))
    on.balance.settle(ends + 5)
    expect(await ended(on)).toEqual({ ended: 0, judged: 0 })
    on.balance.settle(ends + 30)
    expect(await ended(on)).toEqual({ ended: 5, judged: 2 })
    on.balance.settle(ends + 60)
    expect(await ended(on)).toEqual({ ended: 5, judged: 2 })
  })

  // A bug: a site that never asked had no series of judged tokens, so that Prometheus found no difference, and no alarm fired.
  test('have both counts, at 0, as soon as one is issued or judged', async () => {
    for (const [operation, code] of [
      ['solve', 'solved'],
      ['siteverify', 'accepted'],
    ] as const) {
      const on = parts()
      on.request(operation, verified(code))
      const families = await on.read()
      for (const name of ['hv_tokens_ended_total', 'hv_tokens_ended_judged_total'])
        expect(valueOf(families, name, { site: 'shop' })).toBe(0)
    }
  })

  test('are all told at the end of the process', async () => {
    const on = parts()
    on.request('solve', { sitekey: 'shop', code: 'solved', token_ends: unixSeconds(NOW / 1000 + 600), ms: 1 })
    on.balance.settle(Infinity)
    expect(await ended(on)).toEqual({ ended: 1, judged: 0 })
  })
})

test('what is in force, since when, and what was refused', async () => {
  const on = parts()
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
  const on = parts()
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

test('a drain tells what is new, and the counts go on', () => {
  const counts = tally()
  const requests = counts.counter('requests')
  const seconds = counts.distribution('request_seconds')
  requests('solve', 'solved')
  requests('solve', 'solved')
  seconds(0.002, 'solve')
  expect(Object.fromEntries(counts.drain())).toEqual({
    'requests solve solved': 2,
    'request_seconds solve 1': 1,
    'request_seconds solve sum': 0.002,
  })
  requests('solve', 'solved')
  expect(Object.fromEntries(counts.drain())).toEqual({ 'requests solve solved': 1 })
  expect(counts.drain().size).toBe(0)
  expect(counts.cells('requests').map(({ values }) => values[0])).toEqual([3])
})

test('a repeat with its idempotency_key uses nothing up, and is counted once more (docs/operate/metrics.md)', async () => {
  const on = parts()
  const service = await testService({ meters: on })
  const fields = { secret: SECRET, response: await token(service.ask), idempotency_key: randomUUID() }
  const verify = () => post(`${service.base}/api/v1/siteverify`, fields)
  const [first, again] = [await verify(), await verify()]
  expect(again.body).toEqual(first.body)
  expect(first.body).toMatchObject({ success: true })
  await service.stop(0)
  expect(valueOf(await on.read(), 'hv_verdicts_total', { site: SITEKEY, code: 'accepted' })).toBe(2)
})
