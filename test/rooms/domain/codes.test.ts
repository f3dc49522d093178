import { expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'

test('the shared fault of a code is frozen, and its stack names no caller', () => {
  const fault = Fault.of('bad-request')
  expect(fault).toBe(Fault.of('bad-request'))
  expect(Object.isFrozen(fault)).toBe(true)
  expect(fault.stack).toBe('Fault: bad-request')
})
