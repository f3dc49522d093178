/** Two programs with the service inside, and `hv serve`, share one Redis: a token is accepted once among the three. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'
import { LIBRARY_CONFIG, visitorOf } from '../../support/library.ts'
import { keyringFile, SECRET, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { ROOT } from '../../support/root.ts'
import { post, token } from '../../support/visitor.ts'

const redis = await startRedis()
const keyring = keyringFile()
const config = { ...LIBRARY_CONFIG, redis: { url: redis.url }, keyring }

const PROGRAM = `
  import { createServer } from 'node:http'
  import { createService } from '@human-verification/server'
  const hv = await createService({ config: ${JSON.stringify(config)}, log: { info() {}, warn() {}, error() {} } })
  const server = createServer(async (req, res) => {
    if (!req.url.startsWith('/check?')) return hv.app(req, res)
    const visitor = await hv.verify({ response: req.url.slice('/check?'.length), action: 'sign-up' })
    res.end(JSON.stringify(visitor))
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** Starts a program of a customer's. @returns where it listens. */
async function startProgram(): Promise<string> {
  const args = ['--input-type=module', '--eval', PROGRAM]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  closeLater(child, (it) => it.kill('SIGKILL'))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return `http://127.0.0.1:${port.toString().trim()}`
}

test('one token, spent concurrently at all three, is accepted once, wherever it was issued', async () => {
  const [one, two, service] = await Promise.all([
    startProgram(),
    startProgram(),
    startService({ config, keyring }),
  ])
  for (const base of [one, two, service.url]) {
    const response = await token({ ...visitorOf(base), patient: true })
    const inside = async (url: string) =>
      (await fetch(`${url}/check?${response}`)).json() as Promise<Record<string, unknown>>
    const asked = { secret: SECRET, response, action: 'sign-up' }
    const http = async () => (await post(`${service.url}/api/v1/siteverify`, asked)).body
    const answers = await Promise.all([
      inside(one),
      inside(two),
      http(),
      inside(one),
      inside(two),
      http(),
    ])
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1)
    const refused = answers
      .filter(({ success }) => success !== true)
      .map((each) => JSON.stringify(each))
    expect(new Set(refused)).toEqual(
      new Set(['{"success":false,"error-codes":["timeout-or-duplicate"]}']),
    )
  }
}, 120_000)
