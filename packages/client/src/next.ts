/**
 * `@human-verification/client/next`: wraps a handler that takes the web's Request and returns a Response, as in the routes of
 * Next.js, `Deno.serve`, `Bun.serve` and Workers; or one that takes an object with the request, as in SvelteKit and React Router.
 */
import { requestJudge, type RequireHumanOptions } from './judge-request.ts'
import type { Human } from './verification.ts'
import { webFields } from './web-form.ts'

export type { Human, Refusal } from './verification.ts'

/** What SvelteKit's `+server.js`, and the actions of React Router (Remix), are called with. */
export interface RequestEvent {
  readonly request: Request
}

/** What the handler gets: the body of the request is unread, and `human` is the verdict. */
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
export function requireHuman<
  Incoming extends Request | RequestEvent = Request,
  Rest extends unknown[] = unknown[],
>(
  options: RequireHumanOptions<Incoming>,
  handler: (incoming: Verified<Incoming>, ...rest: Rest) => Response | Promise<Response>,
): (incoming: Incoming, ...rest: Rest) => Promise<Response> {
  const judge = requestJudge(options, 'later')
  return async (incoming, ...rest) => {
    const request = requestOf(incoming)
    // A copy is read, so that the handler can read the form itself.
    const copy = { formData: () => request.clone().formData(), json: () => request.clone().json() }
    const fields = () => webFields(copy, request.headers.get('content-type'))
    const { human, page } = await judge(incoming, (name) => request.headers.get(name), fields)
    return page
      ? new Response(page.body, page)
      : handler(Object.assign(incoming, { human }), ...rest)
  }
}

/**
 * Tells them apart by the request's own `headers`, which no event has. An `instanceof` misses a framework's own class of
 * requests, and in the edge runtime of Next.js a request has a member `request` that throws as soon as it is read.
 */
const requestOf = (incoming: Request | RequestEvent): Request =>
  'headers' in incoming ? incoming : incoming.request
