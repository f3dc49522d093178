import { describe, expect, test } from '@jest/globals'
import { type Move, next, type State } from '../../../widget/src/state.ts'

const working = { at: 'working', progress: 0.5, waiter: 'nobody' } as const
const verified = { at: 'verified', token: 't1' } as const
const ready = { at: 'ready' } as const

describe('where a widget can be', () => {
  const rows: { when: string; from: State; move: Move; to: State }[] = [
    {
      when: 'the first touch starts the work',
      from: { at: 'idle' },
      move: { is: 'begun' },
      to: { at: 'working', progress: 0, waiter: 'nobody' },
    },
    {
      when: 'progress moves',
      from: working,
      move: { is: 'progressed', progress: 0.75 },
      to: { ...working, progress: 0.75 },
    },
    { when: 'work that nobody waits for is kept', from: working, move: { is: 'worked' }, to: ready },
    {
      when: 'work that somebody waits for goes on to a token',
      from: { ...working, waiter: 'form' },
      move: { is: 'worked' },
      to: { at: 'working', progress: 1, waiter: 'form' },
    },
    {
      when: 'a held submit wants the token',
      from: ready,
      move: { is: 'wanted', by: 'form', progress: 1 },
      to: { at: 'working', progress: 1, waiter: 'form' },
    },
    {
      when: 'a script that joins a held submit does not hide it',
      from: { ...working, waiter: 'form' },
      move: { is: 'wanted', by: 'script', progress: 0 },
      to: { ...working, waiter: 'form' },
    },
    {
      when: 'a held submit that joins a script is shown',
      from: { ...working, waiter: 'script' },
      move: { is: 'wanted', by: 'form', progress: 0 },
      to: { ...working, waiter: 'form' },
    },
    { when: 'a token verifies', from: working, move: { is: 'minted', token: 't1' }, to: verified },
    { when: 'the next work behind a token is quiet', from: verified, move: { is: 'begun' }, to: verified },
    {
      when: 'progress behind a token is quiet',
      from: verified,
      move: { is: 'progressed', progress: 0.1 },
      to: verified,
    },
    { when: 'a failure behind a token is quiet', from: verified, move: { is: 'failed', code: 200 }, to: verified },
    { when: 'a renewal of kept work is quiet', from: ready, move: { is: 'begun' }, to: ready },
    {
      when: 'kept work that cannot be renewed is no failure yet',
      from: ready,
      move: { is: 'failed', code: 200 },
      to: { at: 'idle' },
    },
    {
      when: 'kept work that is not renewed waits for the next touch',
      from: ready,
      move: { is: 'aged' },
      to: { at: 'idle' },
    },
    {
      when: 'a token that ends unused is expired',
      from: verified,
      move: { is: 'lapsed', spare: false },
      to: { at: 'expired' },
    },
    {
      when: 'a used token that ends gives way to the next work',
      from: verified,
      move: { is: 'lapsed', spare: true },
      to: ready,
    },
    {
      when: 'an old token that ends does not stop new work',
      from: working,
      move: { is: 'lapsed', spare: false },
      to: working,
    },
    { when: 'a busy service is waited for', from: working, move: { is: 'delayed' }, to: { ...working, at: 'waiting' } },
    {
      when: 'work goes on after a wait',
      from: { ...working, at: 'waiting' },
      move: { is: 'progressed', progress: 0.6 },
      to: { ...working, progress: 0.6 },
    },
    {
      when: 'a failure remembers the held submit',
      from: { ...working, waiter: 'form' },
      move: { is: 'failed', code: 203 },
      to: { at: 'failed', code: 203, waiter: 'form' },
    },
    {
      when: 'a failure can be tried again',
      from: { at: 'failed', code: 200, waiter: 'nobody' },
      move: { is: 'begun' },
      to: { at: 'working', progress: 0, waiter: 'nobody' },
    },
    { when: 'reset forgets everything', from: verified, move: { is: 'reset' }, to: { at: 'idle' } },
  ]
  test.each(rows)('$when', ({ from, move, to }) => {
    expect(next(from, move)).toEqual(to)
  })
})
