/** docs/design/threats.md#t17: a body that is refused costs less than a tenth of a challenge, however it is written. */
import { expect, test } from '@jest/globals'
import { readFields } from '../../../src/http/fields.ts'
import { countMembers } from '../../../src/http/json-fields.ts'
import { parser } from '../../../src/http/requests.ts'
import { BODY_LIMIT } from '../../../src/wire.ts'
import { ORIGIN, SITEKEY, testService } from '../../support/app.ts'
import { BROWSER, post } from '../../support/visitor.ts'

const ROUNDS = 7
const EACH = 200

/** Microseconds of this process' CPU: the least of several rounds, so that whatever else it did does not count. */
async function costOf(once: () => unknown): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let i = 0; i < EACH; i++) await once()
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / EACH)
  }
  return Math.min(...rounds)
}

const service = await testService()
const fields = { sitekey: SITEKEY, action: 'sign-up' }
const challenge = await costOf(() =>
  post(`${service.base}/api/v1/challenge`, fields, { ...BROWSER, origin: ORIGIN }),
)
await service.stop(0)

const parse = parser('solve')
const solve = (signals: string): string => `{"challenge":"x","solution":"x","signals":${signals}}`
const members = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"member${i}":1`).join()
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test.each([
  ['nested lists', solve(nested(8000))],
  ['nested objects', solve('{"a":'.repeat(2500) + '1' + '}'.repeat(2500))],
  ['nested lists that stay open', `{"a":${'['.repeat(16_000)}`],
  ['many members', `{${members(1000)}}`],
  ['many members of the summary', solve(`{${members(1000)}}`)],
  ['many items', solve(`[${'0,'.repeat(7800)}0]`)],
  ['one long text', `{"a":"${'x'.repeat(16_000)}"}`],
  ['escapes', `{"a":"${'\\"'.repeat(8000)}"}`],
  ['a summary that is too long', solve(`{"a":"${'x'.repeat(5000)}"}`)],
  ['blanks', ' '.repeat(16_000)],
  ['no JSON', 'x'.repeat(16_000)],
])('%s', async (_what, text) => {
  const body = Buffer.from(text)
  expect(body.length).toBeLessThanOrEqual(BODY_LIMIT)
  const refuse = async (): Promise<void> => {
    try {
      parse(await readFields('application/json', body))
    } catch {
      return
    }
    throw new Error('it was not refused')
  }
  expect(await costOf(refuse)).toBeLessThan(challenge / 10)
})

test.each([
  ['{}', 0],
  ['{"a":1,"b":{"c":2},"d":[{"e":3}]}', 3],
  ['{"a:b":"c\\":d","e\\\\":1}', 2],
  [' \n{"a":[[[[1]]]]}', 1],
  [`{"a":${nested(382)}}`, 1],
  [`{"a":${nested(383)}}`, undefined],
  ['[1]', undefined],
  ['', undefined],
  [`{${members(383)}}`, 383],
  [`{${members(384)}}`, undefined],
])('%s has %s members', (text, count) => expect(countMembers(text)).toBe(count))
