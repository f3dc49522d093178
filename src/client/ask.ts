import { codesOf } from './codes-of.ts'

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
  | { readonly at: 'faulty'; readonly status: number; readonly codes: readonly string[] }
  /** No whole answer in time. */
  | { readonly at: 'lost'; readonly why: string }

const HOW = {
  method: 'POST',
  headers: { accept: 'application/json' },
  // Not 'error', which some edge runtimes do not know: a redirect is a status like any other then.
  redirect: 'manual',
  // Next.js caches what fetch is not told to leave alone.
  cache: 'no-store',
} as const
/** Characters of an answer that are read; the service's own are under 1,000. */
const LONGEST_ANSWER = 65_536

/**
 * Asks `siteverify`, and once more when the answer was lost on the way: the fields hold one `idempotency_key`, so the
 * service knows the second for a repeat of the first. A status is an answer, a 503 too: it is not asked again, because
 * a service that is in trouble needs fewer requests (SPEC.md, "Errors").
 */
export async function ask({ url, fields, timeout, send }: Question): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeout)
  const first = await attempt(url, fields, deadline, send)
  if (first.at !== 'lost' || deadline.aborted) return first
  return attempt(url, fields, deadline, send)
}

async function attempt(url: string, body: URLSearchParams, signal: AbortSignal, send: typeof fetch): Promise<Answer> {
  try {
    const res = await send(new URL('api/v1/siteverify', url.endsWith('/') ? url : `${url}/`), {
      ...HOW,
      body,
      signal,
    })
    const answer = parse(await textOf(res))
    return res.status === 200
      ? { at: 'judged', body: answer }
      : { at: 'faulty', status: res.status, codes: codesOf(answer) }
  } catch (error) {
    return { at: 'lost', why: signal.aborted ? 'no answer in time' : `no answer: ${reasonOf(error)}` }
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Node says no more than "fetch failed" and keeps what happened in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { code?: unknown } }
  return [message, cause?.code].filter((part) => typeof part === 'string').join(', ')
}
