import { expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { readiness } from '../../../src/ops/readiness.ts'

// On SIGTERM a watched process waits for its load balancer. That it drains, test/world/instances/drain.test.ts shows.
test.each([
  { watched: false, when: 'nobody ever asked', at: [], now: 0 },
  { watched: false, when: 'somebody looked once', at: [100], now: 100 },
  { watched: false, when: 'many looked at one moment', at: [100, 101, 140, 299], now: 299 },
  { watched: true, when: 'somebody looks every second', at: [1000, 2000, 3000], now: 3000 },
  { watched: true, when: 'somebody looks every 250 ms', at: [250, 500, 750], now: 750 },
  { watched: false, when: 'the looks are long ago', at: [100, 1100, 2100], now: 13_100 },
  { watched: false, when: 'only one look is recent', at: [100, 9000], now: 14_000 },
])('the process is watched: $watched, when $when', ({ watched, at, now }) => {
  let elapsed = 0
  const ready = readiness(
    { fault: () => undefined, clockAhead: () => 0 },
    () => seconds(60),
    () => elapsed,
  )
  for (elapsed of at) ready.fault()
  elapsed = now
  expect(ready.watched()).toBe(watched)
})

test.each([
  [0, undefined],
  [-30, undefined],
  [-30.1, 'database-unavailable'],
  [3600, undefined],
])(
  'where tokens live for 60 s and the clock is ahead of the ledger by %d s, the fault is %s',
  (ahead, fault) => {
    expect(
      readiness({ fault: () => undefined, clockAhead: () => ahead }, () => seconds(60)).fault(),
    ).toBe(fault)
  },
)
