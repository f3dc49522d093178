import { afterEach, beforeAll, expect } from '@jest/globals'
import supertest from 'supertest'
import { SECRET, testService, type TestService } from '../../support/app.ts'
import { closeLater } from '../../support/close-later.ts'
import {
  bytesOf,
  type RawAnswer,
  type RawRequest,
  send,
  type SendOptions,
} from '../../support/raw.ts'

/** One service under bad input. */
export interface Edge {
  readonly service: TestService
  /** Sends one request as it is written. */
  ask(request: RawRequest | string | Buffer, options?: SendOptions): Promise<Answer>
  /** Posts fields, or a form as it is written, to an operation. */
  form(
    operation: string,
    fields: string | Record<string, string>,
    headers?: RawHeaders,
  ): Promise<Answer>
  /** Posts an object, or JSON as it is written, to an operation. */
  json(operation: string, body: string | object, headers?: RawHeaders): Promise<Answer>
  /** What must not be found in the log, beside the site's secret. */
  keepSecret(...texts: readonly string[]): void
}

type RawHeaders = NonNullable<RawRequest['headers']>

export interface Answer extends RawAnswer {
  readonly text: string
  readonly type: string | null
  readonly cache: string | null
  /** Documented as 50 ms; we allow 500 of the time that this process had, because the machine that runs the tests does other things too. */
  readonly soon: boolean
}

/**
 * One service for these tests: its recorder compares each answer with openapi.json. After each test it serves as before; at
 * the end its log shows neither the site's secret nor what else is to be kept secret.
 */
export function edge(
  options: Parameters<typeof testService>[0] = {},
  prepare: (e: Edge) => void | Promise<void> = () => {},
): Edge {
  const secrets = new Set([SECRET])
  const e: Edge = {
    // Set before the first test.
    service: undefined as never,
    async ask(request, sendOptions) {
      const bytes =
        typeof request === 'string' || Buffer.isBuffer(request) ? request : bytesOf(request)
      const [delay, before] = [delays(), process.cpuUsage()]
      const answer = await send(e.service.base, bytes, sendOptions)
      const { user, system } = process.cpuUsage(before)
      // A service that computes delays itself: that is no excuse.
      const starved = Math.max(0, delay() - (user + system) / 1000)
      const { headers, body, ms } = answer
      const [type, cache] = [headers.get('content-type'), headers.get('cache-control')]
      return { ...answer, text: body.toString(), type, cache, soon: ms - starved < 500 }
    },
    form(operation, fields, headers = []) {
      const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
      return e.ask({ path: `/api/v1/${operation}`, headers: [FORM, ...headers], body })
    },
    json(operation, json, headers = []) {
      const body = typeof json === 'string' ? json : JSON.stringify(json)
      return e.ask({ path: `/api/v1/${operation}`, headers: [JSON_TYPE, ...headers], body })
    },
    keepSecret: (...texts) => texts.forEach((text) => secrets.add(text)),
  }
  beforeAll(async () => {
    closeLater(Object.assign(e, { service: await testService(options) }), expectNothingLeaked)
    await prepare(e)
  })
  // It serves as before.
  afterEach(() => supertest(e.service.base).get('/health').expect(200, { status: 'ok' }))
  async function expectNothingLeaked(): Promise<void> {
    // Logged for certain.
    await e.ask({ method: 'GET', path: '/none' })
    await e.service.stop(0)
    const log = JSON.stringify(e.service.lines())
    expect(log).toContain('request_id')
    expect([...secrets].filter((text) => log.includes(text))).toEqual([])
  }
  return e
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
