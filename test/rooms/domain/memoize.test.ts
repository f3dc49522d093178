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

test('a text is read once, a result of nothing included, and gives the same result again', () => {
  const { read, keep } = counting(10)
  expect(keep('a')).toBe(keep('a'))
  expect([keep(''), keep('')]).toEqual([undefined, undefined])
  expect(read).toEqual(['a', ''])
})

test('as many are kept as are wanted; one more, and all before are forgotten', () => {
  const { read, keep } = counting(2)
  for (const text of ['a', 'b', 'a', 'b']) keep(text)
  expect(read).toEqual(['a', 'b'])
  for (const text of ['c', 'c', 'a']) expect(keep(text)).toEqual({ text })
  expect(read).toEqual(['a', 'b', 'c', 'a'])
})
