/** The option `bind` of the client library and its middlewares, against a site that compares. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bindingOf, type BoundValue } from '../../../src/client/bind.ts'
import { requireHuman as forExpress } from '../../../src/client/express.ts'
import { requireHuman as forNext } from '../../../src/client/next.ts'
import { verify } from '../../../src/client/verify.ts'
import { SECRET, site, testService, type TestService } from '../../support/app.ts'
import { BROWSER, post, solved } from '../../support/visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await testService({ siteList: [site({ bind: true })] })
})
afterAll(() => service.stop(0))

const MINE: readonly BoundValue[] = [
  ['email', 'ann@example.com'],
  ['topic', 'a'],
  ['topic', 'b'],
]
/** A token for these values: challenge and token share the id. */
async function boundToken(values = MINE): Promise<string> {
  const fields = await solved(service.ask)
  const bind = (await bindingOf(fields.challenge, values))!
  const headers = { ...BROWSER, origin: service.ask.origin }
  return String((await post(`${service.base}/api/v1/solve`, { ...fields, bind }, headers)).body['token'])
}
const options = () =>
  ({ url: service.base, secret: SECRET, action: 'sign-up', hostnames: ['shop.example.com'] }) as const

test('verify accepts a token with the values that it was made for, and with no others', async () => {
  const asked = async (bind?: readonly BoundValue[]) => {
    const verification = await verify({ ...options(), response: await boundToken(), bind })
    return verification.accepted || verification.codes
  }
  expect(await asked(MINE)).toBe(true)
  expect(await asked(MINE.toReversed())).toEqual(['bind-mismatch'])
  expect(await asked([['email', 'thief@example.com'], ...MINE.slice(1)])).toEqual(['bind-mismatch'])
  expect(await asked()).toEqual(['bind-mismatch'])
})

test('what is no list of pairs refuses without a request', async () => {
  const verification = await verify({ ...options(), response: 'a.b.c', bind: ['email'] as never })
  expect(verification).toMatchObject({ accepted: false, rule: 'options', why: expect.stringContaining('`bind`') })
})

test.each([{ bind: [] }, { bind: 'email' }, { bind: [7] }])('requireHuman throws at once for %j', ({ bind }) => {
  expect(() => forExpress({ ...options(), bind: bind as never })).toThrow(TypeError)
})

/** Whether each middleware lets a form of these fields pass. */
const GATES = {
  async express(fields: Record<string, unknown>) {
    let passed = false
    const res = { statusCode: 0, setHeader() {}, end() {} }
    await forExpress({ ...options(), bind: ['email', 'topic'] })({ headers: {}, body: fields }, res, () => {
      passed = true
    })
    return passed
  },
  next: (fields: Record<string, unknown>) =>
    passesNext(new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => pairs(name, value)))),
  json: (fields: Record<string, unknown>) => passesNext(JSON.stringify(fields), { 'content-type': 'application/json' }),
}
const pairs = (name: string, value: unknown): string[][] => [value].flat().map((each) => [name, String(each)])

async function passesNext(body: URLSearchParams | string, headers = {}): Promise<boolean> {
  const handler = forNext({ ...options(), bind: ['email', 'topic'] }, () => new Response('passed'))
  return (await handler(new Request('https://shop.example.com/', { method: 'POST', body, headers }))).status === 200
}

test.each(['express', 'next', 'json'] as const)('%s: requireHuman compares the named fields', async (framework) => {
  const fields = { other: 'x', topic: ['a', 'b'], email: 'ann@example.com' }
  const pass = GATES[framework]
  expect(await pass({ ...fields, 'svc-response': await boundToken() })).toBe(true)
  expect(await pass({ ...fields, email: 'thief@example.com', 'svc-response': await boundToken() })).toBe(false)
})

test('the page of a second try binds its token to the same fields', async () => {
  const ticketing = await testService({ siteList: [site({ bind: true, stepUp: 'ticket', scoreThreshold: 0.99 })] })
  const fields = await solved(ticketing.ask)
  const bind = (await bindingOf(fields.challenge, [['email', 'ann@example.com']]))!
  const headers = { ...BROWSER, origin: ticketing.ask.origin }
  const answer = await post(`${ticketing.base}/api/v1/solve`, { ...fields, bind }, headers)
  let page = ''
  const res = { statusCode: 0, setHeader() {}, end: (body: string) => void (page = body) }
  const body = { email: 'ann@example.com', 'svc-response': answer.body['token'] }
  await forExpress({ ...options(), url: ticketing.base, bind: ['email'] })(
    { headers: { accept: 'text/html' }, body },
    res,
    () => {},
  )
  await ticketing.stop(0)
  expect(page).toMatch(/data-step-up="[^"]+" data-bind="email"/)
})
