import { describe, expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { readiness } from '../../../src/ops/readiness.ts'

const WELL = { fault: () => undefined }

/** Asked at these moments (ms), then looked at: with what it answers, and whether anybody watches. */
function asked(...at: number[]) {
  let now = 0
  const ready = readiness(WELL, () => now)
  for (now of at) ready.fault()
  return { ready, later: (ms: number) => (now += ms) }
}

describe('readiness', () => {
  test.each([
    { watched: false, when: 'nobody ever asked', at: [] },
    { watched: false, when: 'somebody looked once', at: [100] },
    { watched: false, when: 'many looked at one moment', at: [100, 101, 140, 299] },
    { watched: true, when: 'somebody looks every second', at: [1000, 2000, 3000] },
    { watched: true, when: 'somebody looks every 250 ms', at: [250, 500, 750] },
    { watched: false, when: 'the looks are long ago', at: [100, 1100, 2100], since: 11_000 },
    { watched: false, when: 'only one look is recent', at: [100, 9000], since: 5000 },
  ])('is watched: $watched, when $when', ({ watched, at, since = 0 }) => {
    const { ready, later } = asked(...at)
    later(since)
    expect(ready.watched()).toBe(watched)
  })

  test('says what the ledger says, and that it goes once it drains', () => {
    let fault: Fault | undefined
    const ready = readiness({ fault: () => fault })
    expect(ready.fault()).toBeUndefined()
    fault = new Fault('database-schema-outdated')
    expect(ready.fault()).toBe('database-schema-outdated')
    fault = undefined
    ready.drain()
    expect(ready.fault()).toBe('database-unavailable')
  })
})
