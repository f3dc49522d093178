import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Client,
  realService,
  requests,
  type ScriptedCase,
  TABLE,
  type Tried,
  tryScripted,
  verdicts,
} from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'

/** Milliseconds: three seconds at most, and what a process of its own needs to start on a busy machine. */
const LONGEST = 10_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Processes at a time: most cases wait, for a time-out of theirs or for a program that starts. */
const AT_ONCE = 3

/**
 * Every case of the table as a test, for a client that is made first; what it needs may have to be installed. The scripted ones, each with a
 * server of its own, are tried side by side.
 */
export function tryTable(make: () => Client | Promise<Client>): void {
  let client: Client
  let service: Awaited<ReturnType<typeof realService>>
  const tried = new Map<ScriptedCase, Promise<Tried & { ms: number }>>()
  beforeAll(async () => {
    client = await make()
    service = await realService()
    const free: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
    for (const [at, row] of TABLE.scripted.entries()) {
      const trial = free[at % AT_ONCE]!.then(() => timed(row, client))
      tried.set(row, trial)
      free[at % AT_ONCE] = trial.catch(() => {})
    }
  }, 600_000)
  afterAll(() => service.stop())

  test.each(TABLE.scripted)('$then: $when', async (row) => {
    const { verdict, asked, ms } = await tried.get(row)!
    expect(verdicts(row)).toContain(verdict)
    expect(ms).toBeLessThan(LONGEST)
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

async function timed(row: ScriptedCase, client: Client): Promise<Tried & { ms: number }> {
  const started = performance.now()
  const outcome = await tryScripted(row, client)
  return { ...outcome, ms: performance.now() - started }
}
