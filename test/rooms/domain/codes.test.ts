import { describe, expect, test } from '@jest/globals'
import { CODES, Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'

describe('a fault', () => {
  test('has its code, the status of that, and what only our log may say', () => {
    const cause = new Error('no answer in time')
    const fault = new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
    expect(fault).toMatchObject({
      name: 'Fault',
      message: 'database-unavailable',
      code: 'database-unavailable',
      codes: ['database-unavailable'],
      status: 503,
      retryAfter: 1,
      cause,
    })
    expect(fault).toBeInstanceOf(Error)
  })
  test('has several codes where several fields are missing, and the status of the first', () => {
    const fault = new Fault(['missing-input-secret', 'missing-input-response'])
    expect(fault).toMatchObject({
      code: 'missing-input-secret',
      codes: ['missing-input-secret', 'missing-input-response'],
      message: 'missing-input-secret, missing-input-response',
      status: 400,
    })
    expect([fault.retryAfter, fault.cause]).toEqual([undefined, undefined])
  })
})

test('a rejection travels on 200, and nothing else does', () => {
  expect(Object.entries(CODES).flatMap(([code, status]) => (status === 200 ? [code] : []))).toEqual([
    'timeout-or-duplicate',
    'action-mismatch',
    'remoteip-mismatch',
    'low-score',
    'invalid-input-response',
  ])
})
