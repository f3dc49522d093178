import { expect, test } from '@jest/globals'
import { memoize } from '../../../src/domain/memoize.ts'

function counting(most: number) {
  const read: string[] = []
  const keep = memoize((text) => {
    read.push(text)
    return text === '' ? undefined : { text }
  }, most)
  return { read, keep }
}

test('each text is parsed once, and the result is reused, also an undefined one', () => {
  const { read, keep } = counting(10)
  expect(keep('a')).toBe(keep('a'))
  expect([keep(''), keep('')]).toEqual([undefined, undefined])
  expect(read).toEqual(['a', ''])
})

test('one entry more than the limit clears the cache', () => {
  const { read, keep } = counting(2)
  for (const text of ['a', 'b', 'a', 'b']) keep(text)
  expect(read).toEqual(['a', 'b'])
  for (const text of ['c', 'c', 'a']) expect(keep(text)).toEqual({ text })
  expect(read).toEqual(['a', 'b', 'c', 'a'])
})
