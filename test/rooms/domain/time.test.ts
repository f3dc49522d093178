import { expect, test } from '@jest/globals'
import { parseDuration, parseRate } from '../../../src/domain/time.ts'

test.each([
  ['1s', 1],
  ['120s', 120],
  ['10m', 600],
  ['2h', 7200],
  ['7d', 604_800],
])('%s is %d seconds', (text, length) => expect(parseDuration(text)).toBe(length))

test.each(['', '0s', '120', '1.5h', '-1s', '2 h', '10M', '1e3s', '99999999s', '30sx', 'x30s'])(
  '"%s" is no length of time',
  (text) => expect(parseDuration(text)).toBeUndefined(),
)

test('a rate is points per length of time', () => {
  expect(parseRate('60 per 1m')).toEqual({ points: 60, per: 60 })
  expect(parseRate('6000 per 15m')).toEqual({ points: 6000, per: 900 })
  expect(parseRate('999999999 per 1s')).toEqual({ points: 999_999_999, per: 1 })
})

test.each(['x60 per 1m', '60 per 1m.', '60 per m', '1000000000 per 1s', '60/1m', '0 per 1m', '60 per 0s'])(
  '"%s" is no rate',
  (text) => expect(parseRate(text)).toBeUndefined(),
)
