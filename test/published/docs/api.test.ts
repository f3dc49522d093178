/** docs/api/api.md: every operation has its place, and what its curl lines are answered is the answer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { OpenapiDocument } from '../../../docs/make/openapi.ts'

const FILE = 'docs/api/api.md'
const page = (): string => readFileSync(FILE, 'utf8')
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenapiDocument

test('every operation has its place', () => {
  for (const path of Object.keys(paths)) expect(page()).toContain(` ${path}`)
})

let server: ChildProcess
let base: string
beforeAll(async () => {
  server = spawn(process.execPath, ['dist/main.js', 'test-server', '--listen', '127.0.0.1:0'], {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface(server.stdout!)) {
    base = /^human-verification test server: (http:\S+)$/.exec(line)?.[1] ?? ''
    if (base !== '') break
  }
  server.stdout!.resume()
})
afterAll(async () => {
  if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
})

/** docs/api/api.md: every operation has its place, and what its curl lines are answered is the answer. */
async function asked(command: string): Promise<string> {
  const words = [...command.replaceAll('\\\n', '').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare!,
  )
  const after = (flag: string): string[] => words.filter((_, i) => words[i - 1] === flag)
  const [data, [header]] = [after('-d'), after('-H')]
  const type = header?.split(': ')[1] ?? 'application/x-www-form-urlencoded'
  const address = words.find((word) => word.startsWith('http:'))!.replace('http://127.0.0.1:8082', base)
  const post = { method: 'POST', headers: { 'content-type': type }, body: data.join('&') }
  return (await fetch(address, data.length > 0 ? post : {})).text()
}

test('every curl line of the test server is answered as it says', async () => {
  const pairs = [...page().matchAll(/^```sh\n(curl [^]*?127\.0\.0\.1:8082[^]*?)\n```\n\n```json\n(.*)\n```$/gm)]
  expect(pairs).toHaveLength(3)
  const now = (answer: string): string => answer.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'now')
  for (const [, command, answer] of pairs) expect(now(await asked(command!))).toBe(now(answer!))
})
