/** What the Redis client throws, and what may leave the room of it. */
import { describe, expect, test } from '@jest/globals'
import { isReadOnly, mayPass, messageOf, toError, wasNeverSent, withoutArguments } from '../../../src/redis/errors.ts'

/** As the server's own answers come: the library names them so. */
const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' })
const NEVER_SENT = new Error("Stream isn't writeable and enableOfflineQueue options is false")

test('an error is known by its message, and anything else by its text', () => {
  expect([messageOf(new Error('late')), messageOf('late'), messageOf(undefined)]).toEqual(['late', 'late', 'undefined'])
})

describe('a second try', () => {
  test.each<[string, unknown, boolean]>([
    ['the answer was lost', new Error('Connection is closed.'), true],
    ['the answer was late', new Error('no answer in time'), true],
    ['nothing was sent', NEVER_SENT, true],
    ['something odd was thrown', 'late', true],
    ['the server is a replica now', reply('READONLY You can’t write against a read only replica.'), true],
    ['a script met that', reply('ERR Error running script: @user_script:1: READONLY You can’t write'), true],
    ['the server refused', reply('NOPERM this user has no permissions'), false],
    ['the server is full', reply('OOM command not allowed when used memory > maxmemory'), false],
  ])('when %s: %#', (_when, error, helps) => expect(mayPass(error)).toBe(helps))
})

test('only what the client says was never sent was never sent', () => {
  expect([wasNeverSent(NEVER_SENT), wasNeverSent(new Error('Connection is closed.'))]).toEqual([true, false])
  expect([isReadOnly(reply('READONLY x')), isReadOnly(NEVER_SENT)]).toEqual([true, false])
})

describe('what leaves the room', () => {
  test.each<[unknown, string]>([
    [new Error('WRONGPASS invalid password'), 'WRONGPASS invalid password'],
    [new Error('ERR unknown command, with args beginning with: the-secret'), 'ERR unknown command'],
    [new Error('ERR unknown command with args the-secret'), 'ERR unknown command'],
    [new Error('first\nthe-secret'), 'first'],
    [new Error('first\r\nthe-secret'), 'first'],
    [new Error('x'.repeat(300)), 'x'.repeat(200)],
    [new AggregateError([new Error('connect ECONNREFUSED'), new Error('other')], 'all failed'), 'connect ECONNREFUSED'],
    [new AggregateError([], 'all failed'), 'all failed'],
    ['a text', 'a text'],
  ])('of %p is %j', (error, says) => {
    expect(withoutArguments(error)).toBe(says)
    expect(toError(error)).toEqual(new Error(says))
  })
})
