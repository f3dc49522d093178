/** The middleware in a customer's process, which it must never end, whatever happens around it. */
import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program with `requireHuman`, an unreachable service, and a response that records its calls. */
async function run(program: string): Promise<unknown> {
  const text = `
    import { requireHuman } from './packages/client/dist/esm/express.js'
    const options = { url: 'http://127.0.0.1:9', secret: 'hv_secret_x', action: 'sign-up', threshold: 0.5, timeout: 500, hostnames: ['shop.example.com'] }
    const told = []
    const res = {
      statusCode: 0, headersSent: false,
      setHeader(name) { if (this.headersSent) throw new Error('ERR_HTTP_HEADERS_SENT'); told.push(name) },
      end(body) { this.headersSent = true; told.push('end ' + this.statusCode) },
    }
    const req = { headers: {}, body: {} }
    const next = () => told.push('next')
    ${program}
    await new Promise((resolve) => setTimeout(resolve, 20))
    console.log(JSON.stringify(told))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    text,
  ])
  return JSON.parse(stdout)
}

const REFUSED = [
  expect.any(String),
  expect.any(String),
  expect.any(String),
  expect.any(String),
  'end 422',
]

test.each([
  { what: 'throws', onRefusal: "() => { throw new Error('my log is down') }" },
  { what: 'rejects', onRefusal: "async () => { throw new Error('my log is down') }" },
])('an onRefusal that $what: the visitor is refused as ever', async ({ onRefusal }) => {
  expect(
    await run(`await requireHuman({ ...options, onRefusal: ${onRefusal} })(req, res, next)`),
  ).toEqual(REFUSED)
})

test.each([
  { what: 'refused', body: '{}' },
  { what: 'asked for', body: "{ 'svc-response': 'a.b.c' }" },
])(
  'a response that somebody else has sent while the visitor was $what stays as it is',
  async ({ body }) => {
    const told = await run(`
    req.body = ${body}
    const done = requireHuman(options)(req, res, next)
    res.statusCode = 503
    res.end('late')
    await done`)
    expect(told).toEqual(['end 503'])
  },
)

// A service that was down told every visitor "We could not process your request", with the status of a refused bot.
test('not judged: 503, with its own message', async () => {
  const told = await run(`
    req.body = { 'svc-response': 'a.b.c' }
    res.end = (body) => told.push(res.statusCode, body)
    await requireHuman(options)(req, res, next)
    await requireHuman({ ...options, unavailableMessage: 'Later.' })(req, res, next)`)
  expect(
    (told as unknown[]).filter((each) => each === 503 || String(each).startsWith('{')),
  ).toEqual([
    503,
    '{"error":"This is temporarily unavailable. Please try again in a moment."}',
    503,
    '{"error":"Later."}',
  ])
})
