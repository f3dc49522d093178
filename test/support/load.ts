import { Agent, request } from 'node:http'

/** One request as its caller saw it. */
export interface Seen {
  /** 0: no answer at all. */
  readonly status: number
  readonly code: string
  readonly ms: number
  /** When it was asked, milliseconds from the start of the load. */
  readonly at: number
  /** What was asked, by its place among the load's. */
  readonly ask: number
}

export interface Ask {
  readonly path: string
  readonly fields?: Record<string, string>
  readonly headers?: Record<string, string>
}

/** Customers and visitors who do not wait for each other: so many requests a second, whatever becomes of the earlier. */
export interface Load {
  /** How many so far, answered or not. */
  asked(): number
  /** Stops asking and waits for the last answer. */
  stop(): Promise<readonly Seen[]>
}

/**
 * @param asks are taken in turns.
 * @param connections at most so many at once; further requests wait for one.
 */
export function startLoad(base: string, perSecond: number, asks: readonly Ask[], connections = 2000): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  const started = performance.now()
  const seen: Seen[] = []
  const open = new Set<Promise<void>>()
  let asked = 0

  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * perSecond
    for (; asked < due; asked++) {
      const ask = asked % asks.length
      const one = sendOne(base, asks[ask]!, agent).then(
        (answer) => void seen.push({ ...answer, ask, at: answer.from - started }),
      )
      open.add(one)
      void one.then(() => open.delete(one))
    }
  }, 5)

  return {
    asked: () => asked,
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
      return seen
    },
  }
}

interface Answered {
  readonly status: number
  readonly code: string
  readonly ms: number
  readonly from: number
}

function sendOne(base: string, ask: Ask, agent: Agent): Promise<Answered> {
  const { path, fields, headers = {} } = ask
  const body = fields === undefined ? '' : new URLSearchParams(fields).toString()
  const type = 'application/x-www-form-urlencoded'
  const sent = fields === undefined ? {} : { 'content-type': type, 'content-length': body.length }
  const from = performance.now()
  const answered = (status: number, code: string): Answered => ({ status, code, ms: performance.now() - from, from })
  return new Promise((resolve) => {
    const method = fields === undefined ? 'GET' : 'POST'
    const asked = request(`${base}${path}`, { method, agent, headers: { ...headers, ...sent } }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      res.once('end', () =>
        resolve(answered(res.statusCode ?? 0, /"error-codes":\["([a-z-]+)/.exec(text)?.[1] ?? 'ok')),
      )
    })
    asked.once('error', (error: NodeJS.ErrnoException) => {
      // A kept connection that the other side was just closing: nobody has read the request (Node.js, `reusedSocket`).
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(sendOne(base, ask, agent))
      else resolve(answered(0, error.code ?? 'error'))
    })
    asked.end(body)
  })
}

/** How often each status and code, and the slowest answer in milliseconds. */
export function summary(seen: readonly Seen[]): { slowest: number; answers: Record<string, number> } {
  const answers: Record<string, number> = {}
  for (const { status, code } of seen) answers[`${status} ${code}`] = (answers[`${status} ${code}`] ?? 0) + 1
  return { slowest: Math.round(Math.max(...seen.map(({ ms }) => ms))), answers }
}
