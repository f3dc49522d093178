/** `test/vectors/client-cases.json`, and the two services it is tried against: a scripted one and the real one. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import type { Sitekey } from '../../../src/domain/words.ts'
import { listen } from '../../../src/http/listen.ts'
import { SECRET, site, SITEKEY, testService } from '../../../test/support/app.ts'
import { BROWSER, post, token } from '../../../test/support/visitor.ts'

export interface CaseOptions {
  readonly action: string | null
  readonly hostnames: readonly string[]
  readonly secret: string | null
  readonly url: string | null
  readonly response: string | { readonly repeat: string; readonly times: number } | null
  readonly threshold?: number | string
  readonly timeout?: number | string | null
  readonly remoteip?: string
}

interface Row {
  readonly then: string | readonly string[]
  readonly when: string
  readonly options?: Partial<CaseOptions>
}

export interface ScriptedCase extends Row {
  readonly asked?: readonly [number, number]
  readonly fault?: string
  readonly says?: {
    status?: number
    text?: string
    change?: object
    without?: string[]
    headers?: Record<string, string>
  }
}

interface Visit {
  readonly action?: string
  readonly address?: string
  readonly bot?: boolean
  readonly spent?: boolean
  readonly altered?: boolean
  readonly site?: 'other'
  readonly none?: boolean
}
type ServiceCase = Row & { readonly visit: Visit }

interface Table {
  readonly options: CaseOptions
  readonly genuine: Readonly<Record<string, unknown>>
  readonly scripted: readonly ScriptedCase[]
  readonly service: readonly ServiceCase[]
}

export const TABLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/vectors/client-cases.json'), 'utf8'),
) as Table

/** One call, ready: what a client is given. `response` null: the form had no such field. Seconds. */
export type Call = Omit<CaseOptions, 'response'> & { readonly response: string | null }
/** @returns `accepted` or the rule. */
export type Client = (call: Call) => Promise<string>

export interface Asked {
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

export const verdicts = ({ then }: Row): readonly string[] =>
  typeof then === 'string' ? [then] : then

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Expects as many requests as a case may cause, and all of them alike. A whole answer is never asked for again. */
export function expectRequests({ asked, fault }: ScriptedCase, requests: readonly Asked[]): void {
  const [least, most] = asked ?? (fault === undefined ? [1, 1] : [1, 2])
  expect(requests.length).toBeGreaterThanOrEqual(least)
  expect(requests.length).toBeLessThanOrEqual(most)
  for (const { path, fields } of requests) {
    expect(path).toBe('POST /api/v1/siteverify')
    expect(fields).toMatchObject({
      secret: SECRET,
      action: 'sign-up',
      idempotency_key: expect.stringMatching(UUID),
    })
    expect(fields).toEqual(requests[0]!.fields)
  }
}

function callOf(options: Partial<CaseOptions> | undefined, base: string, response?: string): Call {
  const all = { ...TABLE.options, ...options }
  const urls: Record<string, string> = {
    "the service's": base,
    "the service's, with a slash": `${base}/`,
  }
  const given = response ?? all.response
  return {
    ...all,
    url: all.url === null ? null : (urls[all.url] ?? all.url),
    secret: all.secret === "the site's" ? SECRET : all.secret,
    response:
      given !== null && typeof given === 'object' ? given.repeat.repeat(given.times) : given,
  }
}

/** Listens on a free port of this machine. @param listener is called once the body has come. */
export async function serve(
  listener: (req: IncomingMessage, res: ServerResponse, body: string) => void,
) {
  const app = (req: IncomingMessage, res: ServerResponse): void => {
    let body = ''
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    req.on('end', () => listener(req, res, body))
  }
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  return { base: server.url, stop: () => server.stop(0) }
}

/** Tries one case against a server that behaves as the case describes. */
export async function tryScripted(row: ScriptedCase, client: Client) {
  const asked: Asked[] = []
  const { base, stop } = await serve((req, res, body) => {
    if (req.url === '/genuine') return void res.end(GOOD)
    asked.push({ path: `${req.method} ${req.url}`, fields: fieldsOf(req, body) })
    answer(row, req, res, asked.length)
  })
  const called = client(callOf(row.options, row.fault === 'nobody' ? 'http://127.0.0.1:1' : base))
  return { verdict: await called.finally(stop), asked }
}

function fieldsOf(req: IncomingMessage, body: string): Record<string, string> {
  return req.headers['content-type']?.startsWith('application/json') === true
    ? (JSON.parse(body) as Record<string, string>)
    : Object.fromEntries(new URLSearchParams(body))
}

const GOOD = JSON.stringify(TABLE.genuine)
/** Sends a byte every 100 ms, far below any time-out that counts from byte to byte, until the client gives up. */
function drip({ socket }: IncomingMessage, write: () => void): void {
  const timer = setInterval(write, 100)
  socket.once('close', () => clearInterval(timer))
}

const FAULTS: Readonly<
  Record<string, (req: IncomingMessage, res: ServerResponse, nth: number) => void>
> = {
  close: (req) => void req.socket.destroy(),
  cut(req, res) {
    res.writeHead(200, { 'content-length': GOOD.length })
    res.write(GOOD.slice(0, 40), () => req.socket.destroy())
  },
  hang() {},
  drip(req, res) {
    res.writeHead(200).write(GOOD)
    drip(req, () => void res.write(' '))
  },
  'drip-head'(req) {
    req.socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
    drip(req, () => void req.socket.write('x'))
  },
  'busy-then-genuine': (req, res, nth) => void (nth === 1 ? req.socket.destroy() : res.end(GOOD)),
}

function answer(
  { fault, says = {} }: ScriptedCase,
  req: IncomingMessage,
  res: ServerResponse,
  nth: number,
): void {
  if (fault !== undefined) return FAULTS[fault]!(req, res, nth)
  const genuine = Object.entries({ ...TABLE.genuine, ...says.change })
  const body =
    says.text ??
    JSON.stringify(Object.fromEntries(genuine.filter(([k]) => !says.without?.includes(k))))
  const headers = Object.entries({ 'content-type': 'application/json', ...says.headers })
  const base = `http://${req.headers.host}`
  res.writeHead(
    says.status ?? 200,
    Object.fromEntries(headers.map(([k, v]) => [k, v.replace('{base}', base)])),
  )
  res.end(body)
}

const OTHER_SECRET = `${SECRET}-other`
const OTHER_SITEKEY = 'hv_site_othershop' as Sitekey

/** The real service with two sites, and what tries a case against it. */
export async function realService() {
  const service = await testService({
    trustedProxies: ['127.0.0.1/32'],
    siteList: [site(), site({ sitekey: OTHER_SITEKEY }, OTHER_SECRET)],
  })
  const { base } = service

  /** A fresh token of a visit as described. */
  const tokenOf = ({ action, address, bot, site: of }: Visit): Promise<string> =>
    token({
      ...service.ask,
      sitekey: of === 'other' ? OTHER_SITEKEY : SITEKEY,
      headers: { ...BROWSER, ...(address !== undefined && { 'x-forwarded-for': address }) },
      ...(action !== undefined && { action }),
      ...(bot === true && { signals: { automation: { webdriver: 1 } } }),
    })

  async function responseOf({ visit }: ServiceCase): Promise<string | undefined> {
    if (visit.none === true) return undefined
    const response = await tokenOf(visit)
    if (visit.spent === true)
      await post(`${base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })
    return visit.altered === true
      ? response.replace(/\.(.)/, (_, c) => (c === 'A' ? '.B' : '.A'))
      : response
  }

  return {
    base,
    tokenOf,
    tryCase: async (row: ServiceCase, client: Client): Promise<string> =>
      client(callOf(row.options, base, await responseOf(row))),
  }
}
