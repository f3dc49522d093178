import { Agent, type IncomingMessage, request } from 'node:http'
import { Worker } from 'node:worker_threads'
import { BROWSER, someone } from '../support/visitor.ts'
import type { Prove } from '../support/prove.ts'
import type { ChallengeAnswer, SolveAnswer } from '../../src/wire.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Many visitors and customers at once, over kept connections. */
export interface Crowd {
  /** @throws {Error} when the connection breaks, or the answer is no JSON. */
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** So many response tokens, each obtained as a visitor's browser does, the work shared among workers. */
  tokens(ask: { base: string; sitekey: string; origin: string; prove: Prove }, count: number): Promise<string[]>
  /** Does the work of a challenge, in a worker. */
  work(challenge: ChallengeAnswer): Promise<string>
  close(): Promise<void>
}

const WORKERS = 2

/** @param connections at most so many at once; further requests wait. */
export function crowd(connections: number): Crowd {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const workers = Array.from({ length: WORKERS }, () => new Worker(new URL('work.js', import.meta.url)))
  const waiting = new Map<number, (solution: string) => void>()
  for (const worker of workers) {
    worker.on('message', ({ id, solution }: { id: number; solution: string }) => {
      waiting.get(id)?.(solution)
      waiting.delete(id)
    })
  }
  let asked = 0

  const solution = (challenge: string, { s, n }: ChallengeAnswer['work']): Promise<string> =>
    new Promise((resolve) => {
      const id = asked++
      waiting.set(id, resolve)
      workers[id % WORKERS]!.postMessage({ id, challenge, s, n }, [])
    })

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
      sent.once('error', reject)
      sent.end(body)
    })
  }

  return {
    post,
    tokens: ({ base, sitekey, origin, prove }, count) =>
      inTurns(Array.from({ length: count }), 16, async () => {
        const headers = { ...BROWSER, origin }
        const issued = await post(`${base}/api/v1/challenge`, { sitekey, action: 'sign-up', proof: '1' }, headers)
        const { challenge, work } = issued.body as unknown as ChallengeAnswer
        const signals = JSON.stringify({ ...someone(), proof: await prove(challenge) })
        const fields = { challenge, solution: await solution(challenge, work), signals }
        const { status, body } = await post(`${base}/api/v1/solve`, fields, headers)
        if (status !== 200) throw new Error(`solve: ${status} ${JSON.stringify(body)}`)
        return (body as unknown as SolveAnswer).token
      }),
    work: ({ challenge, work }) => solution(challenge, work),
    async close() {
      agent.destroy()
      await Promise.all(workers.map((worker) => worker.terminate()))
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
