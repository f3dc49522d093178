/** One table of cases, every language of `examples/verify/`. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client, realService, requests, TABLE, tryScripted, verdicts } from '../client/cases.ts'
import { SECRET } from '../support/app.ts'
import { client, LANGUAGES } from './languages.ts'

describe.each(LANGUAGES)('$name', (language) => {
  let handler: Client
  let service: Awaited<ReturnType<typeof realService>>
  beforeAll(async () => {
    handler = client(language)
    service = await realService()
  })
  afterAll(() => service.stop())

  test.each(TABLE.scripted)('$then: $when', async (row) => {
    const started = performance.now()
    const { verdict, asked } = await tryScripted(row, handler)
    expect(verdicts(row)).toContain(verdict)
    // Three seconds at most, and what a process of its own needs to start on a busy machine.
    expect(performance.now() - started).toBeLessThan(10_000)
    const [least, most] = requests(row)
    expect(asked.length).toBeGreaterThanOrEqual(least)
    expect(asked.length).toBeLessThanOrEqual(most)
    for (const { path, fields } of asked) {
      expect(path).toBe('POST /api/v1/siteverify')
      expect(fields).toMatchObject({ secret: SECRET, action: 'sign-up' })
      expect(fields).toEqual(asked[0]!.fields)
    }
  })

  test.each(TABLE.service)('against the service: $then: $when', async (row) => {
    expect(verdicts(row)).toContain(await service.tryCase(row, handler))
  })
})
