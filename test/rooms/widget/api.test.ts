import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { CODES } from '../../../src/domain/codes.ts'
import type { Reply, SolveBody } from '../../../widget/src/service.ts'
import { ERRORS, type WidgetError } from '../../../widget/src/errors.ts'

const waited: number[] = []
let isAtOnce = true
let request: typeof fetch
jest.spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, ms: number) => {
  waited.push(ms)
  if (isAtOnce) queueMicrotask(task)
}) as never)
jest.spyOn(globalThis, 'fetch').mockImplementation((...args) => request(...args))
jest.spyOn(Math, 'random').mockReturnValue(0)
// It keeps the browser's functions when it loads.
const { readReply, serviceAt } = await import('../../../widget/src/service.ts')
const { callWithRetry } = await import('../../../widget/src/retry.ts')

const lacksToken = (body: { token?: string }): 204 | undefined =>
  typeof body.token === 'string' ? undefined : 204
const read = (
  status: number,
  body: unknown,
  retryAfter: string | null = null,
): Reply<{ token: string }> => readReply(status, retryAfter, body, lacksToken)
const bodyOf = ({ body }: RequestInit): string => (body as URLSearchParams).toString()
const busy = (waitMs?: number): Reply<number> => ({ is: 'busy', waitMs, code: 202 })
const failure = (code: string): object => ({ success: false, 'error-codes': [code] })

describe('an answer of the service', () => {
  const again = { is: 'again' }
  const refused = (code: number) => ({ is: 'refused', code })
  const gone = { is: 'unreachable', code: 203 }
  test.each([
    {
      says: '200 with the fields',
      status: 200,
      body: { token: 't' },
      reply: { is: 'answer', answer: { token: 't' } },
    },
    { says: '200 without them', status: 200, body: { hello: 1 }, reply: refused(204) },
    { says: '200 that is no object', status: 200, body: undefined, reply: refused(204) },
    { says: 'an expired challenge', status: 400, body: failure('challenge-expired'), reply: again },
    {
      says: 'a challenge of a lost key',
      status: 400,
      body: failure('invalid-input-challenge'),
      reply: again,
    },
    {
      says: 'a hostname not allowed',
      status: 400,
      body: failure('hostname-not-allowed'),
      reply: refused(103),
    },
    {
      says: 'a wrong solution',
      status: 400,
      body: failure('invalid-input-solution'),
      reply: refused(301),
    },
    { says: 'a code we do not know', status: 400, body: failure('toString'), reply: refused(105) },
    { says: 'a page of a proxy', status: 404, body: undefined, reply: refused(204) },
    { says: 'a proxy without its service', status: 502, body: undefined, reply: gone },
    { says: 'a defect', status: 500, body: failure('internal-error'), reply: gone },
  ])('is understood: $says', ({ status, body, reply }) => {
    expect(read(status, body)).toEqual(reply)
  })

  test.each([
    { status: 429, retryAfter: '3', waitMs: 3000, code: 202 },
    { status: 503, retryAfter: '0', waitMs: 0, code: 203 },
    { status: 503, retryAfter: null, waitMs: undefined, code: 203 },
    { status: 429, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT', waitMs: undefined, code: 202 },
  ])(
    '$status with Retry-After $retryAfter is waited for',
    ({ status, retryAfter, waitMs, code }) => {
      expect(read(status, failure('x'), retryAfter)).toEqual({ is: 'busy', waitMs, code })
    },
  )

  test('every code of the contract is handled, and its number is in the table', () => {
    for (const [code, status] of Object.entries(CODES)) {
      const reply = read(status, failure(code))
      expect(['again', 'busy', 'unreachable', 'refused']).toContain(reply.is)
      expect(Object.keys(ERRORS)).toContain(String('code' in reply ? reply.code : 300))
    }
  })
})

describe('a request', () => {
  beforeEach(() => {
    isAtOnce = false
  })
  afterEach(() => {
    isAtOnce = true
  })
  const never = new AbortController().signal

  test('is a form without cookies, so that no preflight is needed', async () => {
    const sent = jest.fn<typeof fetch>(async () =>
      Response.json({ token: 'a.b.c', expires_in: 120 }),
    )
    request = sent
    const body: SolveBody = {
      challenge: 'c',
      solution: 's',
      signals: '{}',
      ticket: '',
      step_up: '',
    }
    const reply = await serviceAt('https://v.example/').solve(body, never)
    expect(reply).toEqual({ is: 'answer', answer: { token: 'a.b.c', expires_in: 120 } })
    const [url, init = {}] = sent.mock.calls[0]!
    expect(url).toBe('https://v.example/api/v1/solve')
    expect(init).toMatchObject({
      method: 'POST',
      credentials: 'omit',
      mode: 'cors',
      cache: 'no-store',
    })
    expect(init.headers).toBeUndefined()
    expect(bodyOf(init)).toBe('challenge=c&solution=s&signals=%7B%7D')
  })

  test('that is not answered in time is given up', async () => {
    request = ((_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(new Error('aborted')))
      })) as typeof fetch
    isAtOnce = true
    const reply = await serviceAt('https://v.example/').challenge(
      { sitekey: 'k', action: 'a' },
      never,
    )
    expect(reply).toEqual({ is: 'unreachable', code: 201 })
  })
})

const lost = { is: 'unreachable', code: 200 } as const
const trouble = { is: 'busy', waitMs: undefined, code: 203 } as const
const answer = { is: 'answer', answer: 1 } as const

async function run(replies: Reply<number>[]): Promise<{ outcome: unknown; waits: number[] }> {
  waited.length = 0
  let delays = 0
  const options = { retry: 'auto', retryInterval: 0 } as const
  const outcome = await callWithRetry(
    async () => replies.shift() ?? lost,
    options,
    () => delays++,
  ).catch((error: unknown) => (error as WidgetError).code)
  expect(delays).toBe(waited.length)
  return { outcome, waits: [...waited] }
}

const twelve = Array.from({ length: 12 }, () => busy(4000))
test.each<[says: string, replies: Reply<number>[], outcome: unknown, waits: number[]]>([
  ['an answer is taken at once', [answer], answer, []],
  ['a lost call is repeated', [lost, answer], answer, [500]],
  ['a call that is lost three times is given up', [lost, lost, lost, answer], 200, [500, 2000]],
  ['Retry-After is kept', [busy(3000), answer], answer, [3000]],
  ['Retry-After 0 is at least half a second', [busy(0), answer], answer, [500]],
  ['a wait of more than two minutes is refused', [busy(121_000), answer], 202, []],
  [
    'all waits together take at most two minutes',
    [busy(110_000), busy(10_000), busy(1)],
    202,
    [110_000, 10_000],
  ],
  ['a turn may take many tries', [...twelve, answer], answer, twelve.map(() => 4000)],
  [
    'without Retry-After the waits double',
    [busy(), busy(), busy(), busy(), answer],
    answer,
    [2000, 4000, 8000, 8000],
  ],
  [
    'a service in trouble is asked three times more',
    [trouble, trouble, trouble, trouble],
    203,
    [2000, 4000, 8000],
  ],
  ['a refusal is final', [{ is: 'refused', code: 103 }, answer], 103, []],
  ['an expired challenge is left to the caller', [{ is: 'again' }], { is: 'again' }, []],
])('%s', async (_says, replies, outcome, waits) => {
  expect(await run(replies)).toEqual({ outcome, waits })
})

test('jitter does not prolong the waits beyond two minutes', async () => {
  jest.mocked(Math.random).mockReturnValueOnce(0.5).mockReturnValueOnce(0.5)
  const replies = [busy(80_000), busy(30_000), busy(1)]
  expect(await run(replies)).toEqual({ outcome: 202, waits: [90_000, 30_000] })
})
