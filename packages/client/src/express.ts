/** `@human-verification/client/express`: a middleware for Express 4 and 5, and for any framework with the same signature. */
import { nodeHeader, requestJudge, type RequireHumanOptions } from './judge-request.ts'
import type { Human } from './verification.ts'

export type { Human, Refusal } from './verification.ts'

declare global {
  // Where @types/express looks for what is on a request.
  namespace Express {
    interface Request {
      /** Set by `requireHuman`: the verdict about this visitor. */
      human?: Human
    }
  }
}

/** The members of Express' request that are used. */
interface ExpressRequest {
  /** From `express.urlencoded()`, `express.json()` or a multipart parser, which must come before. */
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  human?: Human
}

interface ExpressResponse {
  statusCode: number
  /** Another part of the program, such as a time-out, may have answered already. */
  readonly headersSent?: boolean
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/**
 * Lets a request pass only with a fresh token of this action: then `req.human` is the verdict. Anything else is
 * answered with 422 (503 if the service could not judge), and nothing after it runs; nor does it when the request was answered meanwhile.
 *
 * @throws {TypeError} at once, when the options are incomplete or wrong.
 * @example
 * const human = requireHuman({ url, secret, action: 'sign-up', hostnames: ['shop.example.com'] })
 * app.post('/sign-up', express.urlencoded(), human, (req, res) => res.send('Welcome'))
 */
export function requireHuman<Incoming extends ExpressRequest>(
  options: RequireHumanOptions<Incoming>,
) {
  const judge = requestJudge(options)
  return async (req: Incoming, res: ExpressResponse, next: () => void): Promise<void> => {
    const { human, page } = await judge(req, nodeHeader(req.headers), () => req.body)
    if (res.headersSent) return
    if (page) {
      res.statusCode = page.status
      for (const [name, value] of Object.entries(page.headers)) res.setHeader(name, value)
      return void res.end(page.body)
    }
    req.human = human
    next()
  }
}
