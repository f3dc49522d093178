// In an outage at 500 requests a second the log's reader fell behind, and the service waited for the pipe: the stack of
// one and the same cause was written with every answer.
import { expect, test } from '@jest/globals'
import type { Limiter } from '../../../src/domain/ports.ts'
import { Fault } from '../../../src/domain/codes.ts'
import { sleep } from '../../support/ledger-contract.ts'
import { SECRET, type TestService, testService } from '../../support/app.ts'
import { post } from '../../support/visitor.ts'

let service: TestService

const ask = (times: number) =>
  Promise.all(
    Array.from({ length: times }, () =>
      post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response: 'none' }),
    ),
  )
const said = (message: string) => service.lines().filter((line) => line['message'] === message)

function failing(error: () => Error): Limiter {
  const fail = async (): Promise<never> => {
    throw error()
  }
  return { challenge: fail, take: fail, junk: fail, check: fail, visit: fail, async giveBack() {} }
}

test('the cause is logged once a second, the code for each request', async () => {
  service = await testService({
    limiter: failing(
      () => new Fault('database-unavailable', { cause: new Error('connection refused') }),
    ),
  })
  const began = performance.now()
  await ask(30)
  const causes = said('unavailable').length
  expect(causes).toBeGreaterThan(0)
  // One where the machine answers all within a second.
  expect(causes).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1000))
  expect(JSON.stringify(said('unavailable')[0]!['cause'])).toContain('connection refused')
  const codes = said('siteverify').map(({ code, status }) => `${String(status)} ${String(code)}`)
  expect(codes).toEqual(Array.from({ length: 30 }, () => '503 database-unavailable'))
  await sleep(1050)
  await ask(5)
  expect(said('unavailable').length).toBeGreaterThan(causes)
})

test('an internal error is logged every time', async () => {
  const limiter = failing(() => new TypeError('undefined is not a function'))
  service = await testService({ limiter, defects: 'expected' })
  expect((await ask(5)).map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
  expect(said('internal error')).toHaveLength(5)
})
