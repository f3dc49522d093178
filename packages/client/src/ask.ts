interface Question {
  readonly url: string
  readonly fields: URLSearchParams
  /** Milliseconds for all attempts together. */
  readonly timeout: number
  readonly send: typeof fetch
}

export type Answer =
  /** Status 200. `body` is undefined where it was not JSON. */
  | { readonly at: 'judged'; readonly body: unknown }
  /** Any other status, a redirect too. */
  | {
      readonly at: 'faulty'
      readonly status: number
      readonly codes: readonly string[]
      /** Seconds, where the service names them. */
      readonly retryAfter: number | undefined
    }
  /** No whole answer in time. */
  | { readonly at: 'lost'; readonly why: string; readonly timedOut: boolean }

/**
 * Next.js caches fetch by default. A Worker of Cloudflare with a compatibility date before 2024-11-11 has no cache mode:
 * its fetch throws at the option, and its requests have no such member.
 */
const UNCACHED =
  'cache' in (globalThis.Request?.prototype ?? {}) ? { cache: 'no-store' as const } : {}
const HOW = {
  method: 'POST',
  headers: { accept: 'application/json' },
  // Not 'error', which some edge runtimes do not know: a redirect is a status like any other then.
  redirect: 'manual',
  ...UNCACHED,
} as const
/** Characters of an answer that are read; the service's own are under 1,000. */
const LONGEST_ANSWER = 65_536

/** Milliseconds that must be left for a retry to be worthwhile. */
const WORTH_ASKING = 250
/** The most that is added to `Retry-After`, as a share of it: customers must not all retry at once. */
const JITTER = 0.25

/**
 * Asks `siteverify`, and once more when the answer was lost on the way: the fields hold one `idempotency_key`, so the
 * service knows the second for a repeat of the first. A 429 or 503 is retried once, no sooner than its `Retry-After`
 * says, where the time allows it: an overloaded service needs fewer requests (docs/api/api.md, "Every code").
 */
export async function ask({ url, fields, timeout, send }: Question): Promise<Answer> {
  const ends = Date.now() + timeout
  const deadline = AbortSignal.timeout(timeout)
  const once = (): Promise<Answer> => attempt(url, fields, deadline, send)
  let answer = await once()
  if (answer.at === 'lost' && !deadline.aborted) answer = await once()
  const waitMs = backOff(answer)
  if (waitMs === undefined || Date.now() + waitMs + WORTH_ASKING > ends) return answer
  await new Promise((resolve) => setTimeout(resolve, waitMs))
  return once()
}

/** Returns the milliseconds to wait before a retry; undefined: no retry. */
function backOff(answer: Answer): number | undefined {
  if (answer.at !== 'faulty' || (answer.status !== 429 && answer.status !== 503)) return undefined
  if (answer.retryAfter === undefined) return undefined
  return answer.retryAfter * 1000 * (1 + JITTER * Math.random())
}

async function attempt(
  url: string,
  body: URLSearchParams,
  signal: AbortSignal,
  send: typeof fetch,
): Promise<Answer> {
  try {
    const res = await send(new URL('api/v1/siteverify', url.endsWith('/') ? url : `${url}/`), {
      ...HOW,
      body,
      signal,
    })
    const answer = parse(await textOf(res))
    return res.status === 200
      ? { at: 'judged', body: answer }
      : {
          at: 'faulty',
          status: res.status,
          codes: codesOf(answer),
          retryAfter: secondsIn(res.headers),
        }
  } catch (error) {
    const timedOut = signal.aborted
    return {
      at: 'lost',
      why: timedOut ? 'no answer in time' : `no answer: ${reasonOf(error)}`,
      timedOut,
    }
  }
}

/** @throws {Error} when the answer breaks off, does not end in time, or is longer than any answer of the service. */
async function textOf(res: Response): Promise<string> {
  if (!res.body) return ''
  const reader = res.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > LONGEST_ANSWER) {
      await reader.cancel()
      throw new Error('the answer is too long to be the service’s')
    }
  }
}

/** Returns the codes of an answer; members that are not texts are ignored. */
export function codesOf(body: unknown): string[] {
  const codes =
    body !== null && typeof body === 'object'
      ? (body as Record<string, unknown>)['error-codes']
      : undefined
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The service sends whole seconds, never a date. */
function secondsIn(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^[0-9]{1,5}$/.test(text) ? Number(text) : undefined
}

/** Node says no more than "fetch failed" and keeps what happened in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown } }
  return [message, cause?.code].filter((part) => typeof part === 'string').join(', ')
}
