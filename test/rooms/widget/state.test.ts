import { expect, test } from '@jest/globals'
import { type Move, next, type State } from '../../../widget/src/state.ts'

const idle = { at: 'idle' } as const
const working = { at: 'working', shareDone: 0.5, waiter: 'none' } as const
const verified = { at: 'verified', token: 't1' } as const
const ready = { at: 'ready' } as const
const failed = { at: 'failed', code: 203, waiter: 'form' } as const
const sixTenths = { ...working, shareDone: 0.6 } as const
const scripted = { ...working, waiter: 'script' } as const
const held = { ...working, waiter: 'form' } as const

test.each<[when: string, from: State, move: Move, to: State]>([
  ['work that nobody waits for is kept', working, { is: 'worked' }, ready],
  [
    'work that somebody waits for goes on to a token',
    held,
    { is: 'worked' },
    { ...held, shareDone: 1 },
  ],
  [
    'a held submit wants the token',
    ready,
    { is: 'wanted', by: 'form', shareDone: 1 },
    { ...held, shareDone: 1 },
  ],
  [
    'a script that joins a held submit does not hide it',
    held,
    { is: 'wanted', by: 'script', shareDone: 0 },
    held,
  ],
  [
    'a held submit that joins a script is shown',
    scripted,
    { is: 'wanted', by: 'form', shareDone: 0 },
    held,
  ],
  ['the next work behind a token is quiet', verified, { is: 'begun' }, verified],
  ['progress behind a token is quiet', verified, { is: 'progressed', shareDone: 0.1 }, verified],
  ['a failure behind a token is quiet', verified, { is: 'failed', code: 200 }, verified],
  ['a renewal of kept work is quiet', ready, { is: 'begun' }, ready],
  ['kept work that cannot be renewed is no failure yet', ready, { is: 'failed', code: 200 }, idle],
  ['kept work that is not renewed waits for the next touch', ready, { is: 'aged' }, idle],
  [
    'a token that ends unused is expired',
    verified,
    { is: 'lapsed', spare: false },
    { at: 'expired' },
  ],
  [
    'a used token that ends gives way to the next work',
    verified,
    { is: 'lapsed', spare: true },
    ready,
  ],
  [
    'an old token that ends does not stop new work',
    working,
    { is: 'lapsed', spare: false },
    working,
  ],
  [
    'work goes on after a wait',
    { ...working, at: 'waiting' },
    { is: 'progressed', shareDone: 0.6 },
    sixTenths,
  ],
  ['a failure remembers the held submit', held, { is: 'failed', code: 203 }, failed],
  [
    'a failure can be tried again',
    failed,
    { is: 'begun' },
    { at: 'working', shareDone: 0, waiter: 'none' },
  ],
])('%s', (_when, from, move, to) => {
  expect(next(from, move)).toEqual(to)
})
