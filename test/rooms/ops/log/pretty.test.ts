import { expect, test } from '@jest/globals'
import { prettierLine, prettyLine } from '../../../../src/ops/log/pretty.ts'

const at = new Date(2026, 10, 21, 12, 0, 1)
const line = (change: object = {}) =>
  prettyLine({ level: 'info', message: 'siteverify', at, fields: {}, colours: false, ...change })

test('what people look for stands first, the rest by name, and no decision', () => {
  const fields = { status: 200, code: 'accepted', ms: 3.1, sitekey: 'hv_site_x', decision: { score: 0.9 } }
  expect(line({ fields })).toBe('12:00:01 info  siteverify 200 accepted 3.1 ms  sitekey=hv_site_x')
})
test('colours tell what is wrong, where they are wanted', () => {
  expect(line({ level: 'error', colours: true })).toBe('\u001b[31m12:00:01 error siteverify\u001b[0m')
  expect(line({ fields: { status: 503 }, colours: true })).toContain('\u001b[31m')
  expect(line({ level: 'error' })).not.toContain('\u001b')
})
test('a value cannot forge a line, or move the cursor', () => {
  expect(line({ fields: { action: 'a\n12:00:02 info  forged\u001b[2J' } })).not.toMatch(/\p{Cc}/u)
})
test('a line of JSON becomes one for people; what is none of ours stays', () => {
  const json = JSON.stringify({ level: 'warn', message: 'solve', timestamp: at.toISOString(), status: 400, ms: 2 })
  expect(prettierLine(json, false)).toBe('12:00:01 warn  solve 400 2 ms')
  expect(prettierLine(json, true)).toBe('\u001b[33m12:00:01 warn  solve\u001b[0m 400 2 ms')
  for (const other of ['', 'not json', '[]', 'null', '{"message":"x"}']) expect(prettierLine(other, true)).toBe(other)
})
