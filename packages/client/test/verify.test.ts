/** What the client library promises beyond the table of `cases.test.ts`. */
import type { RequestListener } from 'node:http'
import { afterAll, describe, expect, test } from '@jest/globals'
import { type Refusal, verify, type VerifyOptions } from '../src/verify.ts'
import { SECRET, testService } from '../../../test/support/app.ts'
import { token } from '../../../test/support/visitor.ts'
import { serve, TABLE } from './cases.ts'

const options = (change: Partial<VerifyOptions> = {}): VerifyOptions => ({
  url: 'http://127.0.0.1:1',
  secret: SECRET,
  response: 'a-token',
  action: 'sign-up',
  hostnames: ['shop.example.com'],
  ...change,
})

const genuine: RequestListener = (_req, res) => void res.end(JSON.stringify(TABLE.genuine))

test('a genuine token is accepted, once: a second try is never taken for the repeat of the first (rule 7)', async () => {
  const service = await testService()
  const response = await token({ ...service.ask, cdata: 'basket-7' })
  expect(await verify(options({ url: service.base, response }))).toEqual({
    accepted: true,
    score: expect.any(Number),
    hostname: 'shop.example.com',
    action: 'sign-up',
    challengeTs: expect.any(String),
    cdata: 'basket-7',
  })
  expect(await verify(options({ url: service.base, response }))).toEqual({
    accepted: false,
    rule: 'fresh',
    codes: ['timeout-or-duplicate'],
    why: 'rejected: timeout-or-duplicate',
    retryable: false,
  })
})

test.each([
  ['a list, as a field given twice is', ['a', 'b']],
  ['a number', 7],
  ['an object', { a: 1 }],
  ['an uploaded file', new File(['x'], 'x')],
])('%s is no token, and nothing is asked', async (_, response) => {
  const nobody = () => Promise.reject(new Error('asked'))
  expect(await verify(options({ response, fetch: nobody }))).toMatchObject({ rule: 'response' })
})

let answer: RequestListener
let asked: string[]
const { base, stop } = await serve((req, res, body) => {
  asked.push(body)
  answer(req, res)
})
afterAll(stop)

describe('against a service that misbehaves', () => {
  const against = (listener: RequestListener, change: Partial<VerifyOptions> = {}) => {
    asked = []
    answer = listener
    return verify(options({ url: base, ...change }))
  }

  test('an answer without end is not kept in memory', async () => {
    let sent = 0
    const endless: RequestListener = (_req, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write(' '.repeat(16_384))) sent += 16_384
        if (!res.destroyed) res.once('drain', more)
      }
      more()
    }
    expect(await against(endless)).toMatchObject({ accepted: false, rule: 'transport' })
    // The reading stops at 64 KiB; what was under way is in the buffers of two sockets.
    expect(sent).toBeLessThan(16_000_000)
  })

  const says =
    (status: number, retryAfter?: string, body = ''): RequestListener =>
    (_req, res) =>
      void res
        .writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
        .end(body)

  test('a refusal has its reason, in words for a log', async () => {
    const broken = await against(says(503, undefined, '{"error-codes":["database-unavailable"]}'))
    expect(broken).toMatchObject({
      rule: 'status',
      codes: ['database-unavailable'],
      why: 'the service answered 503',
    })
    expect(await verify(options())).toMatchObject({
      why: expect.stringMatching(/^no answer: fetch failed/),
    })
    expect(await against(() => {}, { timeout: 100 })).toMatchObject({ why: 'no answer in time' })
  })

  /** Only this one is waited for: on a busy machine an answer may take longer than a short time-out. */
  const SILENT: RequestListener = () => {}

  test.each<[string, RequestListener, object]>([
    ['429', says(429, '40'), { retryable: true, trouble: 'busy', retryAfter: 40 }],
    ['503', says(503, '40'), { retryable: true, trouble: 'unavailable', retryAfter: 40 }],
    ['502 of a proxy', says(502), { retryable: true, trouble: 'unavailable' }],
    [
      '503 until a date',
      says(503, 'Fri, 31 Dec 2027 23:59:59 GMT'),
      { retryable: true, trouble: 'unavailable' },
    ],
    ['silence', SILENT, { retryable: true, trouble: 'time-out' }],
    [
      'a broken connection',
      (req) => req.socket.destroy(),
      { retryable: true, trouble: 'unreachable' },
    ],
    ['400', says(400), { retryable: false }],
  ])('after %s the refusal says whether a retry makes sense', async (_what, listener, expected) => {
    const {
      codes: _codes,
      rule: _rule,
      why: _why,
      ...rest
    } = (await against(listener, { timeout: listener === SILENT ? 100 : 10_000 })) as Refusal
    expect(rest).toEqual({ accepted: false, ...expected })
  })

  test.each([429, 503])('a %s is asked again once, not before its Retry-After', async (status) => {
    const started = performance.now()
    const result = await against((req, res) =>
      asked.length > 1 ? genuine(req, res) : says(status, '1')(req, res),
    )
    expect(result).toMatchObject({ accepted: true })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toBe(asked[1])
    expect(performance.now() - started).toBeGreaterThan(990)
  })

  test('and not at all where the time would be over', async () => {
    const started = performance.now()
    expect(await against(says(503, '1'), { timeout: 1200 })).toMatchObject({
      trouble: 'unavailable',
      retryAfter: 1,
    })
    expect(asked).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(1000)
    await against(says(503, '1'), { timeout: 2500 })
    expect(asked).toHaveLength(2)
  })

  test('nothing caches, nothing follows a redirect, and only the documented fields are sent', async () => {
    const inits: RequestInit[] = []
    const watching: typeof fetch = (input, init) => {
      inits.push(init!)
      return fetch(input, init)
    }
    await against(genuine, { fetch: watching, remoteip: '203.0.113.7' })
    expect(inits).toEqual([
      expect.objectContaining({ method: 'POST', cache: 'no-store', redirect: 'manual' }),
    ])
    const fields = ['action', 'idempotency_key', 'remoteip', 'response', 'secret']
    expect([...new URLSearchParams(asked[0]).keys()].sort()).toEqual(fields)
  })

  test.each(['', null, undefined])('a remoteip of %j counts as none', async (remoteip) => {
    expect(await against(genuine, { remoteip })).toMatchObject({ accepted: true })
    expect(new URLSearchParams(asked[0]).has('remoteip')).toBe(false)
  })

  test('a message of the service is never shown with the secret or the token in it', async () => {
    const everything = await Promise.all([
      against(genuine, { action: 'x' }),
      verify(options({ url: `http://user:${SECRET}@127.0.0.1:1` })),
      verify(options({ url: SECRET })),
      verify(options({ response: undefined })),
    ])
    const text = JSON.stringify(everything)
    expect(everything.every((each) => !each.accepted)).toBe(true)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('a-token')
  })
})

test.each<[string, object]>([
  ['action', { action: ['sign-up'] }],
  ['hostnames', { hostnames: [''] }],
  ['hostnames', { hostnames: ['shop.example.com', undefined] }],
  ['hostnames', { hostnames: 'shop.example.com' }],
])('a call without a proper %s throws, whatever it was cast to', async (word, change) => {
  await expect(verify(options(change as Partial<VerifyOptions>))).rejects.toThrow(
    new RegExp(`^the option \`${word}\` is missing`),
  )
})

test.each<[string, string]>([
  ['https://shop.example.com', 'write "shop.example.com"'],
  ['shop.example.com:8443', 'write "shop.example.com"'],
  ['shop.example.com/path', 'write "shop.example.com"'],
  ['shop.example.com.', 'write "shop.example.com"'],
  [' shop.example.com', 'write "shop.example.com"'],
  ['bücher.example', 'write "xn--bcher-kva.example"'],
  ['::1', 'write "[::1]"'],
  ['*.sub.example.com', 'list each hostname on its own'],
  ['not a hostname', 'list each hostname on its own'],
])('the hostname %s throws, and says: %s', async (hostname, hint) => {
  await expect(verify(options({ hostnames: ['shop.example.com', hostname] }))).rejects.toThrow(
    `the option \`hostnames\` has ${JSON.stringify(hostname)}, which no page can have: ${hint}`,
  )
})

test.each([
  'shop.example.com',
  'SHOP.example.com',
  'localhost',
  '127.0.0.1',
  '[::1]',
  'xn--bcher-kva.example',
  'under_score.example',
  'capacitor://localhost',
  'app://shop:1',
])('the hostname %s is one', async (hostname) => {
  expect(await verify(options({ hostnames: [hostname] }))).toMatchObject({ rule: 'transport' })
})

test.each<[string, object]>([
  ['url', { url: 'verify.example.com' }],
  ['secret', { secret: undefined }],
  ['threshold', { threshold: '0.5' }],
  ['timeout', { timeout: Infinity }],
  ['remoteip', { remoteip: 7 }],
])('without a proper %s everybody is refused, and told what is wanted', async (word, change) => {
  const refusal = await verify(options(change))
  expect(refusal).toMatchObject({
    accepted: false,
    rule: 'options',
    why: expect.stringMatching(`^the option \`${word}\` is (missing|wrong)`),
  })
})

test('a refusal for the score has all details from the service, for the log', async () => {
  const facts = { reasons: ['network'], agent: 'chatgpt' }
  const says = {
    success: false,
    score: 0.42,
    score_threshold: 0.5,
    ...facts,
    'error-codes': ['low-score'],
  }
  const refusal = await verify(options({ fetch: async () => Response.json(says) }))
  expect(refusal).toEqual({
    accepted: false,
    rule: 'score',
    codes: ['low-score'],
    why: 'rejected: low-score (0.42, threshold 0.5)',
    retryable: false,
    lowScore: { score: 0.42, threshold: 0.5 },
    ...facts,
  })
})

test.each([
  { then: 'is', when: 'Node.js does not use it', env: {} },
  { then: 'is not', when: 'Node.js was told to use it', env: { NODE_USE_ENV_PROXY: '1' } },
  {
    then: 'is not',
    when: 'the caller brings a fetch',
    env: {},
    fetch: () => Promise.reject(new Error('down')),
  },
])('a proxy of the environment $then named in why where $when', async ({ then, env, ...own }) => {
  const before = { ...process.env }
  Object.assign(process.env, { HTTPS_PROXY: 'http://127.0.0.1:1', ...env })
  const { why } = (await verify(options(own))) as Refusal
  process.env = before
  expect(
    why.includes('HTTPS_PROXY is set, and Node.js uses it only with NODE_USE_ENV_PROXY=1'),
  ).toBe(then === 'is')
})

/** Checked by the compiler: each of these must not be a call. */
test('the types require an action and hostnames', async () => {
  const { action: _a, ...withoutAction } = options()
  const { hostnames: _h, ...withoutHostnames } = options()
  // @ts-expect-error an action is required
  await expect(verify(withoutAction)).rejects.toThrow(TypeError)
  // @ts-expect-error hostnames are required
  await expect(verify(withoutHostnames)).rejects.toThrow(TypeError)
  // @ts-expect-error at least one hostname is required
  await expect(verify({ ...options(), hostnames: [] })).rejects.toThrow(TypeError)
  const verification = await verify(options())
  // @ts-expect-error a score is there only after asking whether the visitor was accepted
  expect(verification.score).toBeUndefined()
})
