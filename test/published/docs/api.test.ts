/** docs/api/api.md describes every operation, and its curl lines print the documented output. */
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { createApp } from '../../../src/app.ts'
import { testApp } from '../../../src/demo/test-server.ts'
import { testService } from '../../support/app.ts'
import { serve } from '../../support/serve.ts'
import { ensurePrograms } from '../../support/programs.mjs'

const page = readFileSync('docs/api/api.md', 'utf8')

test('every operation has its place', () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: object }
  for (const path of Object.keys(paths))
    expect(page).toMatch(new RegExp(`[ \`]${path.replace('{sitekey}', 'SITEKEY')}`))
})

test('every curl line prints the documented output, against the test server', async () => {
  ensurePrograms(['curl'])
  const service = await testService()
  const server = await serve(testApp(createApp(service.parts), service.parts.log))
  const pairs = [
    ...page.matchAll(/^```sh\n(curl [^]*?127\.0\.0\.1:8082[^]*?)\n```\n\n```json\n(.*)\n```$/gm),
  ]
  expect(pairs).toHaveLength(3)
  const now = (answer: string): string => answer.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'now')
  for (const [, command, answer] of pairs) {
    const { stdout } = await promisify(exec)(command!.replace('http://127.0.0.1:8082', server.url))
    expect(now(stdout)).toBe(now(answer!))
  }
})
