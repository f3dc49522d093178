/**
 * `human-verification/client`: asks the service whether a visitor passed, and refuses whenever that is not certain.
 *
 * No dependency, only `fetch`: runs on Node, Bun, Deno and edge runtimes. It keeps nothing and caches nothing.
 */

export interface VerifyOptions {
  /** Base address of the service: `https://verify.example.com`. */
  readonly url: string
  /** The site's private secret. Never in a page. */
  readonly secret: string
  /** What the form carried in `svc-response`; anything but a non-empty string is refused without a request. */
  readonly response: unknown
  /** The action this handler protects. */
  readonly action: string
  /** Your hostnames, compared without case; at least one. */
  readonly hostnames: readonly [string, ...string[]]
  /** 0 to 1: stricter than the site's own threshold, if you like. Default 0: the site's alone. */
  readonly threshold?: number
  /** The visitor's address, only if you can resolve it safely behind your proxies. */
  readonly remoteip?: string
  /** Milliseconds for everything, a retry included; default 3,000. */
  readonly timeout?: number
  readonly fetch?: typeof fetch
}

/** Which of SPEC.md's validation rules failed, or why there was nothing to apply them to. */
export type Rule =
  'response' | 'success' | 'error-codes' | 'action' | 'hostname' | 'score' | 'fresh' | 'shape' | 'status' | 'transport'

export type Verification =
  | {
      readonly accepted: true
      readonly score: number
      readonly hostname: string
      readonly action: string
      readonly challengeTs: string
      readonly cdata: string | undefined
    }
  | {
      readonly accepted: false
      readonly rule: Rule
      /** What the service said, if anything. */
      readonly codes: readonly string[]
    }

const DEFAULT_TIMEOUT = 3000

/**
 * Verifies a response token by all seven rules (SPEC.md, "Validation rules"). It never throws for what a visitor or a
 * network can do: every doubt is `{ accepted: false }`. Answer the visitor with a neutral message, status 422, and do
 * not try the same token again.
 *
 * @throws {TypeError} when the call itself is wrong: no action, no hostnames, no secret, a threshold out of range.
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  checkOptions(options)
  const { response } = options
  if (typeof response !== 'string' || response === '') return refused('response')

  const deadline = AbortSignal.timeout(options.timeout ?? DEFAULT_TIMEOUT)
  const body = new URLSearchParams({
    secret: options.secret,
    response,
    action: options.action,
    // One new key per submission: a lost answer can be asked for once more without losing the visitor's token.
    idempotency_key: crypto.randomUUID(),
    ...(options.remoteip !== undefined && { remoteip: options.remoteip }),
  })
  const answer = (await ask(options, body, deadline)) ?? (await ask(options, body, deadline))
  if (!answer) return refused('transport')
  return answer.status === 200 ? judge(answer.body, options) : refused('status', codesOf(answer.body))
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function ask(options: VerifyOptions, body: URLSearchParams, signal: AbortSignal): Promise<Answer | undefined> {
  const send = options.fetch ?? fetch
  try {
    const res = await send(new URL('api/v1/siteverify', withSlash(options.url)), {
      method: 'POST',
      body,
      signal,
      redirect: 'error',
    })
    return { status: res.status, body: await res.json() }
  } catch {
    return undefined
  }
}

/** The rules, in SPEC.md's order. */
function judge(body: unknown, { action, hostnames, threshold = 0 }: VerifyOptions): Verification {
  if (body === null || typeof body !== 'object') return refused('shape')
  const answer = body as Record<string, unknown>
  const codes = codesOf(body)
  if (answer['success'] !== true) {
    if (codes.includes('timeout-or-duplicate')) return refused('fresh', codes)
    return refused('success', codes)
  }
  if (!Array.isArray(answer['error-codes']) || answer['error-codes'].length > 0) return refused('error-codes', codes)
  if (answer['action'] !== action) return refused('action')
  const hostname = answer['hostname']
  if (typeof hostname !== 'string') return refused('shape')
  if (!hostnames.some((own) => own.toLowerCase() === hostname.toLowerCase())) return refused('hostname')
  const score = answer['score']
  const siteThreshold = answer['score_threshold']
  if (typeof score !== 'number' || typeof siteThreshold !== 'number') return refused('shape')
  if (!(score >= siteThreshold && score >= threshold)) return refused('score')
  const challengeTs = answer['challenge_ts']
  if (typeof challengeTs !== 'string') return refused('shape')
  const cdata = typeof answer['cdata'] === 'string' ? answer['cdata'] : undefined
  return { accepted: true, score, hostname, action, challengeTs, cdata }
}

const refused = (rule: Rule, codes: readonly string[] = []): Verification => ({ accepted: false, rule, codes })

function codesOf(body: unknown): string[] {
  const codes = body !== null && typeof body === 'object' ? (body as Record<string, unknown>)['error-codes'] : undefined
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
}

/** Types can be cast away, and JavaScript has none: a call that cannot protect anything is refused at run time too. */
function checkOptions({
  url,
  secret,
  action,
  hostnames,
  threshold = 0,
  timeout = DEFAULT_TIMEOUT,
}: VerifyOptions): void {
  if (!URL.canParse(url)) throw new TypeError('verify wants the url of the service')
  if (typeof secret !== 'string' || secret === '') throw new TypeError('verify wants the secret of the site')
  if (typeof action !== 'string' || action === '') throw new TypeError('verify wants the action this handler expects')
  if (
    !Array.isArray(hostnames) ||
    hostnames.length === 0 ||
    hostnames.some((own) => typeof own !== 'string' || own === '')
  ) {
    throw new TypeError('verify wants at least one hostname of yours')
  }
  if (!(threshold >= 0 && threshold <= 1)) throw new TypeError(`verify wants a threshold from 0 to 1; got ${threshold}`)
  if (!(timeout > 0)) throw new TypeError(`verify wants a timeout in milliseconds; got ${timeout}`)
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`)
