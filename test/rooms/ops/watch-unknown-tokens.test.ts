import { expect, test } from '@jest/globals'
import { lastHour } from '../../../src/ops/last-hour.ts'
import { watchUnknownTokens } from '../../../src/ops/watch-unknown-tokens.ts'
import { closeLater } from '../../support/close-later.ts'
import { keepLog } from '../../support/ledger-contract.ts'

// Two embedded ledgers behind one proxy refused 295 of 306 visitors, and each process was well.
test.each([
  [
    true,
    'each second visitor of two processes with one keyring',
    { 'solve challenge-expired': 20, 'solve solved': 20 },
  ],
  [true, 'all visitors of two keyrings', { 'solve invalid-input-challenge': 30 }],
  [
    true,
    'all tokens, where browsers stay at one process',
    { 'solve solved': 30, 'siteverify timeout-or-duplicate': 30 },
  ],
  [false, 'a few', { 'solve challenge-expired': 19 }],
  [false, 'the usual share', { 'solve challenge-expired': 20, 'solve solved': 41 }],
])('logged: %s, when the unknown are %s', (said, _who, requests) => {
  const log = keepLog()
  const at = { ms: 0 }
  const hour = lastHour(() => at.ms)
  const watcher = closeLater(watchUnknownTokens(hour, log), (it) => it.stop())
  const happens = (): void => {
    for (const [key, times] of Object.entries(requests)) {
      const [operation, code] = key.split(' ') as [string, string]
      for (let i = 0; i < times; i++) hour.request(operation, { code })
    }
    watcher.look()
    watcher.look()
  }
  happens()
  expect(log.lines).toHaveLength(said ? 1 : 0)
  at.ms = 3_600_000
  happens()
  expect(log.lines).toHaveLength(said ? 2 : 0)
})
