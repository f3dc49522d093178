/** The deadline of an operation. That a call which hangs is answered in time: test/whole/fail-closed. */
import { expect, test } from '@jest/globals'
import { inTime } from '../../../src/http/handlers.ts'

test('a result that arrived in time counts, even if a busy process reads it late', async () => {
  const began = performance.now()
  const work = new Promise<string>((resolve) => setImmediate(() => resolve('answer')))
  const heard = inTime(work, 20)
  while (performance.now() - began < 60);
  expect(await heard).toBe('answer')
})
