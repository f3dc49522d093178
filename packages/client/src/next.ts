/**
 * `@human-verification/client/next`: wraps a route handler of Next.js. It needs no more than the web's Request and Response, so
 * it wraps any handler of that form: `Deno.serve`, `Bun.serve`, Workers, SvelteKit and Remix have one too.
 */
import { gate, type GateOptions } from './gate.ts'
import type { Human } from './verification.ts'
import { webFields } from './web-form.ts'

export type { Human, Refusal } from './verification.ts'

/** The request that the handler gets: its body is unread, and `human` is the verdict. */
export type Verified<Incoming> = Incoming & { readonly human: Human }

/**
 * Runs the handler only for a fresh token of this action; anything else is answered with 422,
 * or with 503 if the service could not judge.
 *
 * @throws {TypeError} at once, when the options are wrong. Next.js loads a route while it builds, so only `url` and
 *   `secret` may still be missing then; until they are set, every visitor is refused.
 * @example
 * const options = { url, secret, action: 'sign-up', hostnames: ['shop.example.com'] }
 * export const POST = requireHuman(options, async () => new Response('Welcome'))
 */
export function requireHuman<Incoming extends Request, Rest extends unknown[]>(
  options: GateOptions<Incoming>,
  handler: (request: Verified<Incoming>, ...rest: Rest) => Response | Promise<Response>,
): (request: Incoming, ...rest: Rest) => Promise<Response> {
  const judge = gate(options, 'later')
  return async (request, ...rest) => {
    // A copy is read, so that the handler can read the form itself.
    const copy = { formData: () => request.clone().formData(), json: () => request.clone().json() }
    const fields = () => webFields(copy, request.headers.get('content-type'))
    const { human, page } = await judge(request, (name) => request.headers.get(name), fields)
    return page
      ? new Response(page.body, page)
      : handler(Object.assign(request, { human }), ...rest)
  }
}
