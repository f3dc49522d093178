/** A request whose target is spelled exactly goes without Express' router: it must not be seen from outside. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import { memoryLimiter } from '../../../src/store/limits.ts'
import { ORIGIN, SECRET, SITEKEY, type TestService, testService } from '../../support/app.ts'
import { solved, token } from '../../support/visitor.ts'

let service: TestService
afterEach(() => service.stop(0))

const FORM = 'application/x-www-form-urlencoded'

interface Asked {
  readonly path: string
  readonly body: string
  readonly type?: string
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** All that can be seen of an answer, and of the line it leaves in the log, but what differs each time. */
async function seen({ path, body, type = FORM, method = 'POST', headers = {} }: Asked) {
  const before = service.lines().length
  const request = { method, headers: { 'content-type': type, ...headers }, body }
  const answer = await fetch(`${service.base}${path}`, request)
  const text = await answer.text()
  while (service.lines().length === before) await new Promise((resolve) => setTimeout(resolve, 5))
  const { 'x-request-id': id, date: _date, ...rest } = Object.fromEntries(answer.headers)
  const lines = service.lines().slice(before)
  const names = lines.map((line) => ({ message: line['message'], code: line['code'], names: Object.keys(line) }))
  return { status: answer.status, hasId: /^[\w-]{22,36}$/.test(id ?? ''), headers: rest, text, names }
}

/** The same request, once each way: a query sends it through the router. */
async function bothWays(asked: Asked, again = asked) {
  const short = await seen(asked)
  const long = await seen({ ...again, path: `${again.path}?` })
  return { short, long }
}

const verify = (fields: Record<string, string>): Asked => ({
  path: '/api/v1/siteverify',
  body: String(new URLSearchParams({ secret: SECRET, ...fields })),
})
const challenge = (fields: Record<string, string>, origin = ORIGIN): Asked => ({
  path: '/api/v1/challenge',
  body: String(new URLSearchParams({ sitekey: SITEKEY, action: 'a', ...fields })),
  headers: { origin },
})

test.each<{ says: string; asked: Asked; status: number }>([
  { says: 'a wrong secret', asked: verify({ secret: 'x'.repeat(40), response: 'y' }), status: 400 },
  { says: 'a token that is none', asked: verify({ response: 'x' }), status: 400 },
  { says: 'a field that is missing', asked: verify({}), status: 400 },
  { says: 'a body of another type', asked: { ...verify({}), type: 'text/plain' }, status: 415 },
  { says: 'a body that is too large', asked: { ...verify({}), body: 'a'.repeat(20_000) }, status: 413 },
  { says: 'a field twice', asked: { ...verify({}), body: 'secret=a&secret=b' }, status: 400 },
  { says: 'another method', asked: { ...verify({}), method: 'PUT' }, status: 405 },
  { says: 'a sitekey that is none', asked: challenge({ sitekey: 'x' }), status: 400 },
  { says: 'another origin', asked: challenge({}, 'https://other.example'), status: 400 },
  { says: 'a challenge that is none', asked: { path: '/api/v1/solve', body: 'challenge=x' }, status: 400 },
  { says: 'no such path', asked: { path: '/api/v1/siteverify/', body: '' }, status: 404 },
])('$says: one answer, either way', async ({ asked, status }) => {
  service = await testService()
  const { short, long } = await bothWays(asked)
  expect(short).toEqual(long)
  expect(short).toMatchObject({ status, hasId: true })
})

test('what is accepted is the same, either way', async () => {
  service = await testService()
  const [one, other] = [await token(service.ask), await token(service.ask)]
  const { short, long } = await bothWays(verify({ response: one }), verify({ response: other }))
  const timeless = (text: string): object => ({ ...(JSON.parse(text) as object), challenge_ts: '' })
  expect({ ...short, text: timeless(short.text) }).toEqual({ ...long, text: timeless(long.text) })
  expect(short).toMatchObject({ status: 200, names: [{ code: 'accepted' }] })
})

const FAULT = new Fault('database-unavailable', { retryAfter: seconds(3) })
const DEFECT = new TypeError('of ours')

test.each([
  { says: 'an operation rejects with a fault', part: 'limiter', thrown: FAULT, status: 503 },
  { says: 'an operation rejects with a defect', part: 'limiter', thrown: DEFECT, status: 500 },
  { says: 'an operation rejects with nothing', part: 'limiter', thrown: undefined, status: 500 },
  { says: 'a step throws', part: 'random', thrown: DEFECT, status: 500 },
])('$says: one answer, either way', async ({ part, thrown, status }) => {
  const many = { points: 1000, per: seconds(60) }
  const limiter = memoryLimiter({
    challenge: many,
    solve: many,
    siteverify: many,
    fallback: many,
    junk: many,
    ticket: many,
    invalidSecret: many,
  })
  let tripped = ''
  service = await testService({
    defects: 'expected',
    limiter: {
      ...limiter,
      take: (...asked) => (tripped === 'limiter' ? Promise.reject(thrown) : limiter.take(...asked)),
    },
    random: {
      id() {
        if (tripped === 'random') throw thrown
        return randomUUID()
      },
    },
  })
  const fields = await solved(service.ask)
  tripped = part
  const asked = { path: '/api/v1/solve', body: String(new URLSearchParams(fields)), headers: { origin: ORIGIN } }
  const { short, long } = await bothWays(asked)
  expect(short).toEqual(long)
  expect(short.status).toBe(status)
})
