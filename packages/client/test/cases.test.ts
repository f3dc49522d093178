/** The client library against the table that clients in every language must pass. */
import { expect, test } from '@jest/globals'
import { verify, type VerifyOptions } from '../src/verify.ts'
import { type Client, expectRequests, realService, TABLE, tryScripted, verdicts } from './cases.ts'

const client: Client = async ({ timeout, threshold, ...call }) => {
  const given = {
    ...call,
    url: call.url ?? undefined,
    secret: call.secret ?? undefined,
    ...(threshold !== undefined && { threshold: Number(threshold) }),
    ...(timeout !== null && timeout !== undefined && { timeout: Number(timeout) * 1000 }),
  } as VerifyOptions
  try {
    const verification = await verify(given)
    return verification.accepted ? 'accepted' : verification.rule
  } catch (error) {
    // A call without an action or hostnames is the one thing that is thrown.
    expect(error).toBeInstanceOf(TypeError)
    return 'options'
  }
}

test.each(TABLE.scripted)('of a scripted service: $then: $when', async (row) => {
  const { verdict, asked } = await tryScripted(row, client)
  expect(verdicts(row)).toContain(verdict)
  expectRequests(row, asked)
})

const service = await realService()
test.each(TABLE.service)('of the service: $then: $when', async (row) => {
  expect(verdicts(row)).toContain(await service.tryCase(row, client))
})
