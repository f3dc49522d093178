/** `@human-verification/client/hono`: a middleware for Hono 4, on every runtime that Hono runs on. */
import { requestJudge, type RequireHumanOptions } from './judge-request.ts'
import type { Human } from './verification.ts'
import { webFields, type WebBody } from './web-form.ts'

export type { Human, Refusal } from './verification.ts'

/** For `new Hono<{ Variables: HumanVariables }>()`: what `c.get('human')` gives. */
export interface HumanVariables {
  human: Human
}

/** What is needed of a context; Hono's own has it. */
interface HonoContext {
  /** Hono keeps what was read, so the handler can read the form again. */
  readonly req: WebBody & { header(name: string): string | undefined }
  set(key: 'human', value: Human): void
}

/**
 * Lets a request pass only with a fresh token of this action: then `c.get('human')` is the verdict. Anything else is
 * answered with 422 (503 if the service could not judge), and nothing after it runs.
 *
 * @throws {TypeError} at once, when the options are incomplete or wrong.
 * @example
 * const human = requireHuman({ url, secret, action: 'sign-up', hostnames: ['shop.example.com'] })
 * app.post('/sign-up', human, (c) => c.text('Welcome'))
 */
export function requireHuman<Context extends HonoContext>(options: RequireHumanOptions<Context>) {
  const judge = requestJudge(options)
  return async (c: Context, next: () => Promise<void>): Promise<Response | void> => {
    const fields = () => webFields(c.req, c.req.header('content-type'))
    const { human, page } = await judge(c, (name) => c.req.header(name), fields)
    if (page) return new Response(page.body, page)
    c.set('human', human)
    await next()
  }
}
