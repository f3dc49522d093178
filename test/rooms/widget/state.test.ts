import { describe, expect, test } from '@jest/globals'
import { type Move, next, type State } from '../../../widget/src/state.ts'

const idle = { at: 'idle' } as const
const working = { at: 'working', progress: 0.5, waiter: 'nobody' } as const
const verified = { at: 'verified', token: 't1' } as const
const ready = { at: 'ready' } as const
const held = { ...working, waiter: 'form' } as const

describe('where a widget can be', () => {
  test.each<[when: string, from: State, move: Move, to: State]>([
    ['the first touch starts the work', idle, { is: 'begun' }, { at: 'working', progress: 0, waiter: 'nobody' }],
    ['progress moves', working, { is: 'progressed', progress: 0.75 }, { ...working, progress: 0.75 }],
    ['work that nobody waits for is kept', working, { is: 'worked' }, ready],
    ['work that somebody waits for goes on to a token', held, { is: 'worked' }, { ...held, progress: 1 }],
    ['a held submit wants the token', ready, { is: 'wanted', by: 'form', progress: 1 }, { ...held, progress: 1 }],
    ['a script that joins a held submit does not hide it', held, { is: 'wanted', by: 'script', progress: 0 }, held],
    [
      'a held submit that joins a script is shown',
      { ...working, waiter: 'script' },
      { is: 'wanted', by: 'form', progress: 0 },
      held,
    ],
    ['a token verifies', working, { is: 'minted', token: 't1' }, verified],
    ['the next work behind a token is quiet', verified, { is: 'begun' }, verified],
    ['progress behind a token is quiet', verified, { is: 'progressed', progress: 0.1 }, verified],
    ['a failure behind a token is quiet', verified, { is: 'failed', code: 200 }, verified],
    ['a renewal of kept work is quiet', ready, { is: 'begun' }, ready],
    ['kept work that cannot be renewed is no failure yet', ready, { is: 'failed', code: 200 }, idle],
    ['kept work that is not renewed waits for the next touch', ready, { is: 'aged' }, idle],
    ['a token that ends unused is expired', verified, { is: 'lapsed', spare: false }, { at: 'expired' }],
    ['a used token that ends gives way to the next work', verified, { is: 'lapsed', spare: true }, ready],
    ['an old token that ends does not stop new work', working, { is: 'lapsed', spare: false }, working],
    ['a busy service is waited for', working, { is: 'delayed' }, { ...working, at: 'waiting' }],
    [
      'work goes on after a wait',
      { ...working, at: 'waiting' },
      { is: 'progressed', progress: 0.6 },
      { ...working, progress: 0.6 },
    ],
    [
      'a failure remembers the held submit',
      held,
      { is: 'failed', code: 203 },
      { at: 'failed', code: 203, waiter: 'form' },
    ],
    [
      'a failure can be tried again',
      { at: 'failed', code: 200, waiter: 'nobody' },
      { is: 'begun' },
      { at: 'working', progress: 0, waiter: 'nobody' },
    ],
    ['reset forgets everything', verified, { is: 'reset' }, idle],
  ])('%s', (_when, from, move, to) => {
    expect(next(from, move)).toEqual(to)
  })
})
