import { Agent, type IncomingMessage, request } from 'node:http'
import { sleep } from '../../support/process.ts'
import { BROWSER, someone } from '../../support/visitor.ts'
import { startWorkers } from '../../support/workers.ts'
import type { Prove } from '../../support/prove.ts'
import type { ChallengeAnswer, SolveAnswer } from '../../../src/wire.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Of which service and site a token is wanted. */
export interface Whom {
  readonly base: string
  readonly sitekey: string
  readonly origin: string
  readonly prove: Prove
}

/** Many visitors and customers at once, over kept connections. */
export interface Crowd {
  /** @throws {Error} when the connection breaks, or the answer is no JSON. */
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** So many response tokens, each obtained as a visitor's browser does, the work shared among workers. */
  tokens(whom: Whom, count: number): Promise<string[]>
  /** Does the work of a challenge, in a worker. */
  work(challenge: ChallengeAnswer): Promise<string>
  close(): Promise<void>
}

/** @param connections at most so many at once; further requests wait. */
export function crowd(connections: number): Crowd {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const workers = startWorkers(2)

  function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams(fields).toString()
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        {
          agent,
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': Buffer.byteLength(body),
          },
        },
        (res) => void json(res).then(resolve, reject),
      )
      sent.once('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the other side was just closing: nobody has read the request (Node.js, `reusedSocket`).
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(post(url, fields, headers))
        else reject(error)
      })
      sent.end(body)
    })
  }

  /** Asks again while the machine is too busy to answer in time. @throws {Error} when it is refused, and after 30 s. */
  async function granted<T>(url: string, fields: Record<string, string>, headers: Record<string, string>): Promise<T> {
    const until = Date.now() + 30_000
    let { status, body } = await post(url, fields, headers)
    while (status === 503 && Date.now() < until) {
      await sleep(250)
      ;({ status, body } = await post(url, fields, headers))
    }
    if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`)
    return body as unknown as T
  }

  async function visit({ base, sitekey, origin, prove }: Whom): Promise<string> {
    const headers = { ...BROWSER, origin }
    const asks = { sitekey, action: 'sign-up', proof: '1' }
    const { challenge, work } = await granted<ChallengeAnswer>(`${base}/api/v1/challenge`, asks, headers)
    const signals = JSON.stringify({ ...someone(), proof: await prove(challenge) })
    const fields = { challenge, solution: await workers.solve(challenge, work), signals }
    return (await granted<SolveAnswer>(`${base}/api/v1/solve`, fields, headers)).token
  }

  return {
    post,
    tokens: (whom, count) =>
      // As the widget does: a refused visit begins anew, once.
      inTurns(Array.from({ length: count }), 16, () => visit(whom).catch(() => visit(whom))),
    work: ({ challenge, work }) => workers.solve(challenge, work),
    async close() {
      agent.destroy()
      await workers.close()
    },
  }
}

async function json(res: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk as Buffer)
  return { status: res.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'] }
}

/** Does something for each, in order, at most so many at once. */
export async function inTurns<T, R>(all: readonly T[], atOnce: number, does: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const turn = async (): Promise<void> => {
    while (next < all.length) {
      const i = next++
      results[i] = await does(all[i]!)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, turn))
  return results
}
