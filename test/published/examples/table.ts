import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Client,
  realService,
  requests,
  TABLE,
  tryScripted,
  verdicts,
} from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'

/** Milliseconds: three seconds at most, and what a process of its own needs to start on a busy machine. */
const LONGEST = 10_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Every case of the table as a test, for a client that is made first; what it needs may have to be installed. */
export function tryTable(make: () => Client | Promise<Client>): void {
  let client: Client
  let service: Awaited<ReturnType<typeof realService>>
  beforeAll(async () => {
    client = await make()
    service = await realService()
  }, 600_000)
  afterAll(() => service.stop())

  test.each(TABLE.scripted)('$then: $when', async (row) => {
    const started = performance.now()
    const { verdict, asked } = await tryScripted(row, client)
    expect(verdicts(row)).toContain(verdict)
    expect(performance.now() - started).toBeLessThan(LONGEST)
    const [least, most] = requests(row)
    expect(asked.length).toBeGreaterThanOrEqual(least)
    expect(asked.length).toBeLessThanOrEqual(most)
    for (const { path, fields } of asked) {
      expect(path).toBe('POST /api/v1/siteverify')
      expect(fields).toMatchObject({ secret: SECRET, action: 'sign-up', idempotency_key: expect.stringMatching(UUID) })
      expect(fields).toEqual(asked[0]!.fields)
    }
  })

  test.each(TABLE.service)('against the service: $then: $when', async (row) => {
    expect(verdicts(row)).toContain(await service.tryCase(row, client))
  })
}
