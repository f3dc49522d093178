import { expect, jest, test } from '@jest/globals'
import { memoize } from '../../../src/domain/memoize.ts'

test('each text is parsed once, also to undefined, until there is one entry more than the limit', () => {
  const parse = jest.fn((text: string) => (text === '' ? undefined : { text }))
  const parsed = memoize(parse, 2)
  expect(parsed('a')).toBe(parsed('a'))
  expect([parsed(''), parsed('')]).toEqual([undefined, undefined])
  expect(parse.mock.calls).toEqual([['a'], ['']])
  for (const text of ['c', 'c', 'a']) expect(parsed(text)).toEqual({ text })
  expect(parse.mock.calls).toEqual([['a'], [''], ['c'], ['a']])
})
