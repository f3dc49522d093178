import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import supertest from 'supertest'
import { testService, type TestService } from '../../support/app.ts'
import { bytesOf, type RawAnswer, type RawRequest, send, type SendOptions } from '../../support/raw.ts'

/** One service under bad input, and everything that it said meanwhile. */
export interface Edge {
  readonly service: TestService
  /** Sends one request as it is written. */
  ask(request: RawRequest | string | Buffer, options?: SendOptions): Promise<Answer>
  /** What was sent and must not be found again in a log or an error. */
  keepSecret(...texts: readonly string[]): void
  /** What of it the whole log or an error body tells, and every error body that shows our code; nothing, one hopes. */
  told(): readonly string[]
}

/** An answer as a table of tests compares it. */
export interface Answer extends RawAnswer {
  readonly text: string
  readonly type: string | null
  readonly cache: string | null
  /** Documented as 50 ms; we allow 500 of the time that this process had, because the machine that runs the tests does other things too. */
  readonly soon: boolean
}

export async function edge(...args: Parameters<typeof testService>): Promise<Edge> {
  const service = await testService(...args)
  const errors: string[] = []
  const secrets = new Set<string>()
  return {
    service,
    async ask(request, options) {
      const bytes = typeof request === 'string' || Buffer.isBuffer(request) ? request : bytesOf(request)
      const [delay, before] = [delays(), process.cpuUsage()]
      const answer = await send(service.base, bytes, options)
      const { user, system } = process.cpuUsage(before)
      // A service that computes delays itself: that is no excuse.
      const starved = Math.max(0, delay() - (user + system) / 1000)
      const { headers, body, ms } = answer
      const text = body.toString()
      if (answer.status >= 400) errors.push(text)
      return {
        ...answer,
        text,
        type: headers.get('content-type'),
        cache: headers.get('cache-control'),
        soon: ms - starved < 500,
      }
    },
    keepSecret(...texts) {
      for (const text of texts) secrets.add(text)
    },
    told() {
      const log = JSON.stringify(service.lines())
      if (log.length < 1000) return ['the log is empty, so this shows nothing']
      const found = [...secrets].filter((text) => log.includes(text) || errors.some((body) => body.includes(text)))
      return [...found, ...errors.filter((body) => /\bat .*:\d+:\d+|node_modules|Error:|<html/i.test(body))]
    },
  }
}

/** Milliseconds by which a busy machine delayed this process, and with it the service, since the call. */
export function delays(): () => number {
  let late = 0
  let last = performance.now()
  const timer = setInterval(() => {
    late += Math.max(0, performance.now() - last - 20)
    last = performance.now()
  }, 10)
  return () => {
    clearInterval(timer)
    return late + Math.max(0, performance.now() - last - 20)
  }
}

export const FORM = ['Content-Type', 'application/x-www-form-urlencoded'] as const
export const JSON_TYPE = ['Content-Type', 'application/json'] as const

/** The documented failure, for `toMatchObject`: status, exactly the one shape, never kept, and soon. */
export const failure = (status: number, ...codes: readonly string[]): Partial<Answer> => ({
  status,
  text: JSON.stringify({ success: false, 'error-codes': codes }),
  type: 'application/json; charset=utf-8',
  cache: 'no-store',
  soon: true,
})

/** @throws {Error} when the service does not answer as always. */
export async function expectServing({ service }: Edge): Promise<void> {
  await supertest(service.base).get('/health').expect(200, { status: 'ok' })
}

/** One service for these tests. After each it serves as before; at the end neither its log nor an error shows what was sent. */
export function edgeForAll(
  options: Parameters<typeof testService>[0],
  prepare: (e: Edge) => void | Promise<void> = () => {},
): Edge {
  const e = {} as Edge
  beforeAll(async () => prepare(Object.assign(e, await edge(options))))
  afterEach(() => expectServing(e))
  afterAll(async () => {
    await e.service.stop(0)
    expect(e.told()).toEqual([])
  })
  return e
}
