/** `@human-verification/client/fastify`: a `preHandler` for Fastify 4 and 5. */
import { nodeHeader, requestJudge, type RequireHumanOptions } from './judge-request.ts'
import type { Human } from './verification.ts'

export type { Human, Refusal } from './verification.ts'

/** The members of Fastify's request that are used. */
interface FastifyRequest {
  /** From Fastify's JSON parser, `@fastify/formbody`, or `@fastify/multipart` with `attachFieldsToBody: 'keyValues'`. */
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  human?: Human
}

interface FastifyReply {
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: string): unknown
}

/**
 * Lets a request pass only with a fresh token of this action: then `request.human` is the verdict. Anything else is
 * answered with 422 (503 if the service could not judge), and the handler does not run.
 *
 * @throws {TypeError} at once, when the options are incomplete or wrong.
 * @example
 * const preHandler = requireHuman({ url, secret, action: 'sign-up', hostnames: ['shop.example.com'] })
 * app.post('/sign-up', { preHandler }, async () => 'Welcome')
 */
export function requireHuman<Incoming extends FastifyRequest>(
  options: RequireHumanOptions<Incoming>,
) {
  const judge = requestJudge(options)
  return async (request: Incoming, reply: FastifyReply): Promise<unknown> => {
    const { human, page } = await judge(request, nodeHeader(request.headers), () => request.body)
    if (page) {
      reply.code(page.status)
      reply.headers({ ...page.headers })
      // A hook that has sent returns the reply: then Fastify runs nothing further.
      return reply.send(page.body)
    }
    request.human = human
    return undefined
  }
}
