/** docs/widget/bind.md: its programs make the digests of the table. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { needProgram } from '../../support/programs.mjs'
import { ROOT } from '../../world/deploy/root.ts'

interface Row {
  readonly when: string
  readonly values: readonly (readonly [string, string])[]
  readonly text: string
  readonly digest: string
}
const page = readFileSync(join(ROOT, 'docs/widget/bind.md'), 'utf8')
const { jti, cases } = JSON.parse(readFileSync(join(ROOT, 'test/vectors/bind.json'), 'utf8')) as {
  jti: string
  cases: readonly Row[]
}
const token = `e30.${Buffer.from(JSON.stringify({ jti, more: '??>' })).toString('base64url')}.c2ln`
const blockOf = (language: string): string => page.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!

test.each(cases)('Python, $when', ({ values, digest }) => {
  const program = `import base64, hmac, json, os
token, values = os.environ["TOKEN"], json.loads(os.environ["VALUES"])
${blockOf('python')}
print(bind)`
  const env = { ...process.env, TOKEN: token, VALUES: JSON.stringify(values) }
  expect(execFileSync(needProgram('python'), ['-c', program], { env, encoding: 'utf8' }).trim()).toBe(digest)
})

test('the shell, with the text of the page', () => {
  needProgram('jq')
  const row = cases.find(({ text }) => page.includes(`is \`${text}\``))!
  const program = blockOf('sh').replace(/^curl .*$/m, 'printf %s "$BIND"')
  const env = { ...process.env, TOKEN: token }
  expect(execFileSync('sh', ['-c', program], { env, encoding: 'utf8' })).toBe(row.digest)
})
