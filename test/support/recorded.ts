import type { RequestListener, ServerResponse } from 'node:http'
import { answerProblems } from './openapi.ts'

/**
 * Lets an application answer, and notes every answer that is not as `openapi.json` says, whoever asked and however
 * (a raw socket, a real browser): where the answer leaves, nothing escapes.
 */
export function recorded(app: RequestListener, problems: string[]): RequestListener {
  return (req, res) => {
    const { method = '', url = '' } = req
    const body = bodyOf(res)
    const head = headOf(res)
    res.once('finish', () => {
      const headers = new Headers()
      for (const [name, value] of Object.entries({ ...res.getHeaders(), ...head() })) headers.set(name, String(value))
      problems.push(
        ...answerProblems({
          method,
          path: url.split(/[?#]/, 1)[0]!,
          status: res.statusCode,
          headers,
          body: body(),
        }),
      )
    })
    app(req, res)
  }
}

/** The headers that a response is given together with its status. */
function headOf(res: ServerResponse): () => object {
  let head = {}
  const original = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  res.writeHead = (...args: unknown[]) => {
    const last = args.at(-1)
    if (typeof last === 'object' && last !== null) head = last
    return original(...args)
  }
  return () => head
}

/** What a response is given to send, while it is being sent. */
function bodyOf(res: ServerResponse): () => string {
  const chunks: Buffer[] = []
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  for (const name of ['write', 'end'] as const) {
    const original = res[name].bind(res) as (...args: unknown[]) => never
    res[name] = (...args: unknown[]) => {
      keep(args[0])
      return original(...args)
    }
  }
  return () => Buffer.concat(chunks).toString()
}
