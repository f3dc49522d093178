import { type IncomingHttpHeaders, type IncomingMessage, request, type RequestListener } from 'node:http'
import { mergeMetrics } from './merge-metrics.ts'

/** A process that listens. */
export interface OpsProcess {
  /** 1 to the number of processes. */
  readonly process: number
  /** Where its own ops listener is. */
  readonly opsUrl: string
}

interface Answer {
  readonly process: number
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Milliseconds that a process has to answer. */
const PATIENCE_MS = 2000
const NOBODY = '{"success":false,"error-codes":["database-unavailable"]}'

/**
 * The ops listener of all processes: `/metrics` joins theirs, `/ready` is ready while one of them is, so that one that
 * is replaced takes nobody's traffic away, and everything else is the answer of one: pages and `/fleet` are the same in each.
 *
 * Every question is passed on with its headers, so each process itself refuses what it would refuse.
 *
 * @param processes those that listen now.
 */
export function joinedOps(processes: () => readonly OpsProcess[]): RequestListener {
  async function answerOf(req: IncomingMessage): Promise<Answer | undefined> {
    const isForAll = req.url === '/metrics' || req.url === '/ready'
    const all = processes()
    const answers = await askAll(isForAll ? all : all.slice(0, 1), req)
    const refusal = answers.find(({ status }) => status !== 200)
    if (req.url === '/ready') return answers.find(({ status }) => status === 200) ?? refusal
    return refusal ?? (req.url === '/metrics' && req.method === 'GET' ? joined(answers) : answers[0])
  }

  return (req, res) => {
    req.resume()
    void answerOf(req).then((answer) => {
      if (answer === undefined) {
        res.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': NOBODY.length })
        res.end(NOBODY)
        return
      }
      const { connection: _own, 'transfer-encoding': _framing, 'keep-alive': _timeout, ...headers } = answer.headers
      if (req.method !== 'HEAD') headers['content-length'] = String(answer.body.length)
      res.writeHead(answer.status, headers).end(answer.body)
    })
  }
}

/** A process that is starting or ending does not answer, and is left out. */
async function askAll(processes: readonly OpsProcess[], req: IncomingMessage): Promise<Answer[]> {
  const settled = await Promise.allSettled(processes.map((each) => ask(each, req)))
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

function ask({ process, opsUrl }: OpsProcess, { method, url = '/', headers }: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { ...headers, connection: 'close', 'content-length': '0' }
    const { hostname, port } = new URL(opsUrl)
    const call = request(
      { hostname, port, path: url, method, headers: sent, signal: AbortSignal.timeout(PATIENCE_MS) },
      (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () =>
          resolve({ process, status: res.statusCode ?? 500, headers: res.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    call.on('error', reject)
    call.end()
  })
}

function joined(answers: readonly Answer[]): Answer | undefined {
  const [first] = answers
  if (first === undefined) return undefined
  const texts = answers.map(({ process, body }) => ({ process, text: body.toString() }))
  return { ...first, body: Buffer.from(mergeMetrics(texts)) }
}
