/**
 * `@human-verification/client`: asks the service whether a visitor passed, and refuses whenever that is not certain.
 *
 * No dependency, only `fetch`: runs on Node, Bun, Deno and edge runtimes. It keeps nothing and caches nothing.
 */
import { type Answer, ask } from './ask.ts'
import {
  checkExpectations,
  DEFAULT_TIMEOUT,
  isToken,
  problemIn,
  type VerifyOptions,
} from './options.ts'
import { applyRules } from './apply-rules.ts'
import { refused, type Refusal, withTrouble, type Verification } from './verification.ts'

export type { VerifyOptions } from './options.ts'
export type { Human, LowScore, Refusal, Rule, Trouble, Verification } from './verification.ts'

/**
 * Verifies a response token by all seven rules (docs/api/api.md, "Validation rules"). Every doubt is `{ accepted: false }`,
 * whatever a visitor, a network or an environment does. Answer the visitor with a neutral message, status 422 (503 where
 * the refusal is `retryable`), and do not try the same token again: it may be consumed.
 *
 * @throws {TypeError} without an action or hostnames, whatever the types were cast to: such a call protects nothing; with
 *   a hostname that no page can have: such a call refuses every visitor.
 * @example
 * const response = form.get('svc-response')
 * const visitor = await verify({ url, secret, response, action: 'sign-up', hostnames: ['shop.example.com'] })
 * if (!visitor.accepted) return visitor.retryable ? unavailable() : refused()
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  checkExpectations(options)
  const problem = problemIn(options)
  if (problem !== undefined) return refused('options', problem)
  const {
    url,
    secret,
    response,
    action,
    hostnames,
    threshold = 0,
    remoteip,
    timeout = DEFAULT_TIMEOUT,
  } = options
  if (!isToken(response)) return refused('response', 'the form carried no response token')

  const fields = new URLSearchParams({
    secret: secret!,
    response,
    action,
    // Random for each call: a lost answer can be asked for again, and no other second try succeeds (rule 7).
    idempotency_key: crypto.randomUUID(),
    ...(remoteip && { remoteip }),
  })
  const answer = await ask({ url: url!, fields, timeout, send: options.fetch ?? fetch })
  switch (answer.at) {
    case 'lost':
      return withTrouble(
        refused('transport', answer.why + (options.fetch ? '' : proxyHint())),
        answer.timedOut ? 'time-out' : 'unreachable',
      )
    case 'faulty':
      return faulty(answer)
    case 'judged':
      return applyRules(answer.body, { action, hostnames, threshold })
  }
}

/** Node.js' own fetch reads the variables of a proxy only when told to; 20 cannot be told. */
function proxyHint(): string {
  const env = globalThis.process?.env ?? {}
  const name = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => env[each])
  if (name === undefined || env['NODE_USE_ENV_PROXY'] === '1') return ''
  return `; ${name} is set, and Node.js uses it only with NODE_USE_ENV_PROXY=1 (22.21 and 24; on 20, give the option \`fetch\`)`
}

/** Another status than 200: what is wrong with the question stays wrong, and the rest may pass. */
function faulty({ status, codes, retryAfter }: Extract<Answer, { at: 'faulty' }>): Refusal {
  const refusal = refused('status', `the service answered ${status}`, codes)
  if (status === 429) return withTrouble(refusal, 'busy', retryAfter)
  return status >= 500 ? withTrouble(refusal, 'unavailable', retryAfter) : refusal
}
