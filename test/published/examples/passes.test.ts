/** Every language of `examples/verify/` makes the passes of one table, and passes that siteverify accepts once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET, site, testService, type TestService } from '../../support/app.ts'
import { post } from '../../support/visitor.ts'
import { LANGUAGES, passMaker } from './languages.ts'

interface Row {
  readonly secret: string
  readonly action: string
  readonly hostname: string
  readonly minutes: number | string
}
interface Table {
  readonly cases: readonly (Row & { readonly name: string; now: number; id: string; pass: string })[]
  readonly wrong: readonly { readonly when: string; readonly change: Partial<Row> }[]
}
const { cases, wrong } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/passes.json'), 'utf8'),
) as Table
const ORDINARY = { secret: SECRET, action: 'sign-up', hostname: 'shop.example.com', minutes: 30 }

/** The small protocol of examples/verify/README.md. */
const envOf = ({ secret, action, hostname, minutes }: Row): Record<string, string> => ({
  HV_SECRET: secret,
  HV_ACTION: action,
  HV_HOSTNAME: hostname,
  HV_MINUTES: String(minutes),
})

let service: TestService
beforeAll(async () => {
  service = await testService({ siteList: [site({ passes: true })] })
  // The ledger's generation is older than a pass by a minute.
  service.parts.ledger.beganAt = () => 1 as never
})
afterAll(() => service.stop(0))

describe.each(LANGUAGES)('$name', (language) => {
  let make: ReturnType<typeof passMaker>
  beforeAll(() => {
    make = passMaker(language)
  }, 600_000)

  test('makes a pass that siteverify accepts, once', async () => {
    const [response, code] = make(envOf(ORDINARY))
    expect(code).toBe(0)
    const verify = async () =>
      (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })).body
    expect(await verify()).toMatchObject({ success: true, hostname: 'shop.example.com', action: 'sign-up', score: 0.5 })
    expect(await verify()).toMatchObject({ success: false, 'error-codes': ['timeout-or-duplicate'] })
  })

  test('makes two that differ', () => {
    expect(make(envOf(ORDINARY))[0]).not.toBe(make(envOf(ORDINARY))[0])
  })

  // The package's client takes neither the moment nor the id from outside.
  if (language.name !== 'TypeScript')
    test.each(cases)('makes $name byte for byte', ({ pass, now, id, ...row }) => {
      expect(make({ ...envOf(row), HV_NOW: String(now), HV_ID: id })).toEqual([pass, 0])
    })

  test.each(wrong)('makes none when $when', ({ change }) => {
    expect(make(envOf({ ...ORDINARY, ...change }))).toEqual(['options', 1])
  })
})
