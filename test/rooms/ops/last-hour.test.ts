/** The last hour of this process, and the parts of the dashboard that compute its text. */
import { describe, expect, test } from '@jest/globals'
import { healthOf } from '../../../dashboard/src/health.ts'
import { minuteTime } from '../../../dashboard/src/texts.ts'
import { viewOf } from '../../../dashboard/src/view.ts'
import type { NetworkPrefix } from '../../../src/domain/address.ts'
import type { Site } from '../../../src/domain/site.ts'
import { answerLastHour } from '../../../src/ops/answer-last-hour.ts'
import { lastHour } from '../../../src/ops/last-hour.ts'

const NOW = 1_800_000_000

function service() {
  const at = { now: NOW }
  const clock = () => at.now * 1000
  const hour = lastHour(clock)
  const answer = answerLastHour({
    hour,
    inForce: () => ({ since: (NOW - 7200) * 1000, problem: undefined }),
    ledger: { fault: () => undefined },
    sites: {
      bySitekey: (key) =>
        key === 'shop'
          ? ({
              name: 'Shop',
              scoreThreshold: 0.5,
              actionThresholds: new Map([['silent-check', { scoreThreshold: 0.45 }]]),
            } as unknown as Site)
          : undefined,
    },
    name: 'machine/1',
    version: '1.2.3',
    clock,
  })
  const request = (operation: string, code: string, times = 1, change = {}) => {
    for (let i = 0; i < times; i++)
      hour.request(operation, { sitekey: 'shop', code, ms: 3, ...change })
  }
  return {
    at,
    hour,
    answer,
    request,
    health: () => healthOf(viewOf(answer())),
    view: () => viewOf(answer()),
  }
}

describe('the last hour', () => {
  test('keeps sixty minutes and drops older ones', () => {
    const on = service()
    for (let i = 0; i < 100; i++) {
      on.request('siteverify', 'accepted', 1, { score: 0.9 })
      on.at.now += 60
    }
    const { minutes, sites } = on.answer()
    expect(minutes).toHaveLength(60)
    expect(sites['shop']!.codes).toEqual({ accepted: 59 })
    on.at.now += 3600
    expect(on.answer().sites).toEqual({})
  })

  test('has at most a hundred sites and networks, and others', () => {
    const on = service()
    for (let i = 0; i < 5000; i++) {
      const network = `2001:db8:${i.toString(16)}::/48` as NetworkPrefix
      on.request('siteverify', 'rate-limit-exceeded', 1, { sitekey: `s${i}`, network })
    }
    const { siteViews, networks } = on.view()
    expect(siteViews).toHaveLength(101)
    expect(Object.keys(networks)).toHaveLength(101)
    expect(networks['other']).toBe(4900)
  })
})

describe('health', () => {
  const BEGAN = minuteTime(NOW)

  test('answers of 503 are shown with their time: bad while they last, a warning afterwards', () => {
    const on = service()
    on.request('solve', 'database-unavailable', 1200)
    const says = `1,200 requests were answered database-unavailable, from ${BEGAN}`
    expect(on.health().problems).toEqual([{ level: 'bad', says: `${says} until now.` }])
    on.at.now += 600
    expect(on.health().problems).toEqual([
      { level: 'warn', says: `${says} to ${minuteTime(NOW + 60)}.` },
    ])
  })

  test('a site that refuses everybody, unless it accepts one or refuses few', () => {
    const on = service()
    on.request('siteverify', 'low-score', 19)
    expect(on.health().level).toBe('good')
    on.request('siteverify', 'low-score', 501)
    on.request('siteverify', 'timeout-or-duplicate', 2)
    const says =
      'Shop: all 522 visitors were refused (low-score 520, timeout-or-duplicate 2; its threshold is 0.5).'
    expect(on.health().problems).toEqual([{ level: 'bad', says }])
    on.request('siteverify', 'accepted')
    expect(on.health().level).toBe('good')
  })
})
