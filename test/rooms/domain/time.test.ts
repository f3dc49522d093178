import { expect, test } from '@jest/globals'
import { parseDuration, parseRate } from '../../../src/domain/time.ts'

test('a length of time is a whole number and its unit', () => {
  expect(['1s', '120s', '10m', '2h', '7d'].map(parseDuration)).toEqual([1, 120, 600, 7200, 604_800])
})
test.each(['', '0s', '120', '1.5h', '-1s', '2 h', '10M', '1e3s', '99999999s', '30sx', 'x30s'])(
  '"%s" is no length of time',
  (text) => expect(parseDuration(text)).toBeUndefined(),
)

test('a rate is points per length of time', () => {
  expect(parseRate('6000 per 15m')).toEqual({ points: 6000, per: 900 })
  expect(parseRate('999999999 per 1s')).toEqual({ points: 999_999_999, per: 1 })
})
test.each([
  'x60 per 1m',
  '60 per 1m.',
  '60 per m',
  '1000000000 per 1s',
  '60/1m',
  '0 per 1m',
  '60 per 0s',
])('"%s" is no rate', (text) => expect(parseRate(text)).toBeUndefined())
