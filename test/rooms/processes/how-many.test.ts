import { expect, test } from '@jest/globals'
import { howManyProcesses } from '../../../src/processes/how-many.ts'

test.each([
  { then: 1, when: 'nothing else is asked for', text: '1', hasRedis: false },
  { then: 8, when: 'auto has Redis and 8 processors', text: 'auto', hasRedis: true },
  { then: 1, when: 'auto has no Redis', text: 'auto', hasRedis: false },
  { then: 64, when: '64 are asked for', text: '64', hasRedis: true },
])('there are $then processes when $when', ({ then, text, hasRedis }) => {
  expect(howManyProcesses(text, 8, hasRedis)).toBe(then)
})

test('auto is 64 at the most', () => expect(howManyProcesses('auto', 96, true)).toBe(64))

test.each(['0', '65', '-1', '1.5', 'many', ''])('%j processes are refused', (text) => {
  expect(howManyProcesses(text, 8, true)).toBe(`--processes wants a number from 1 to 64, or auto; got ${text}`)
})

test('two without Redis are refused, with the reason', () => {
  expect(howManyProcesses('2', 8, false)).toMatch(
    /^--processes 2 wants Redis: each process would have a ledger of its own/,
  )
})
