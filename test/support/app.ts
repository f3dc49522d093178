import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { jest } from '@jest/globals'
import express from 'express'
import { type AppParts, createApp } from '../../src/app.ts'
import { mounted } from '../../src/http/mounted.ts'
import { checkConfig } from '../../src/settings/load.ts'
import { hashSecret } from '../../src/settings/secrets.ts'
import { siteDirectory } from '../../src/settings/site-directory.ts'
import type { Site } from '../../src/domain/site.ts'
import type { Log } from '../../src/domain/observing.ts'
import { NOTHING_KNOWN } from '../../src/domain/network.ts'
import { seconds, type Sitekey, unixSeconds } from '../../src/domain/words.ts'
import { history } from '../../src/store/history/history.ts'
import { memoryCounters } from '../../src/store/history/counters.ts'
import type { App } from '../../src/http/messages.ts'
import { memoryLedger } from '../../src/store/ledger/memory-ledger.ts'
import { type Budgets, budgetLimiter } from '../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../src/store/limits/limit-store.ts'
import { createLog } from '../../src/ops/log.ts'
import { createMetrics } from '../../src/ops/metrics.ts'
import { readiness } from '../../src/ops/readiness.ts'
import { keyring, newKey } from '../../src/tokens/keyring.ts'
import { openPass } from '../../src/tokens/passes.ts'
import { jwtTokens } from '../../src/tokens/jwt-tokens.ts'
import { closeLater } from './close-later.ts'
import { random } from './ledger-contract.ts'
import { everyBudget } from './ledger-on-redis.ts'
import { answerProblems } from './openapi.ts'
import { proverWith } from './prove.ts'
import { serve } from './serve.ts'

export const ORIGIN = 'https://shop.example.com'
export const SITEKEY = 'hv_site_testshop' as Sitekey
export const SECRET = `hv_secret_${randomBytes(32).toString('base64url')}`

/** Constant work: test/world/history covers how it rises. */
const USUAL = {
  sitekey: SITEKEY,
  name: 'Shop',
  secrets: [{ sha256: hashSecret(SECRET) }],
  hostnames: ['shop.example.com', '*.shop.example.com'],
  work: { level: 0, max_level: 0 },
}
const { sites: usual } = checkConfig(
  JSON.stringify({ version: 1, sites: [USUAL] }),
  'test.yaml',
  {},
)

/** A site that differs from the usual one in what is named; its work is the least there is. */
export const site = (change: Partial<Site> = {}, secret = SECRET): Site => ({
  ...usual[0]!,
  secrets: [{ sha256: hashSecret(secret), notAfter: undefined }],
  ...change,
})

export type TestService = Awaited<ReturnType<typeof testService>>

/** Budgets that no test uses up. */
export const PLENTY: Budgets = everyBudget(1_000_000, 60)

/** Real tokens, ledger, limiter and history in memory; only the clock is the test's. */
export function memoryParts(siteList: readonly Site[], nowMs: () => number, log: Log) {
  const clock = { now: () => unixSeconds(Math.floor(nowMs() / 1000)) }
  return {
    sites: siteDirectory(siteList),
    tokens: jwtTokens({ keyring: keyring([newKey(clock.now())]), issuer: 'test', clock }),
    openPass,
    ledger: memoryLedger({ random, clock: nowMs }),
    limiter: budgetLimiter(memoryLimits(), PLENTY),
    history: history(memoryCounters(), log),
    networks: { lookUp: () => NOTHING_KNOWN },
    clock,
    random,
    log,
  }
}

/** Below which path the service is part of another program; empty: it is alone. */
export const PLACE = { mount: '' }
/** The application, alone or in a program of its customer's. */
export const appOf = (parts: AppParts): App =>
  PLACE.mount === ''
    ? createApp(parts)
    : express().use(PLACE.mount, mounted(createApp(parts), parts))

interface TestOptions {
  readonly siteList?: readonly Site[]
  readonly nowMs?: () => number
  /** For a test that provokes `internal-error`. */
  readonly defects?: 'expected'
}

/**
 * The whole service in this process, over a real socket: real tokens, ledger, limiter and log; only the clock is ours.
 * It ends with the tests of the file, and throws then when any answer was not as `openapi.json` says, or when the service
 * logged a bug.
 */
export async function testService(change: Partial<AppParts> & TestOptions = {}) {
  const { siteList = [site()], nowMs = () => Date.now(), defects, ...parts } = change
  let logged = ''
  const problems: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const line = chunk.toString()
      logged += line
      if (defects === undefined && line.includes('"message":"internal error"'))
        problems.push(`a defect: ${line}`)
      done()
    },
  })
  const judging = memoryParts(siteList, nowMs, parts.log ?? createLog({ level: 'info', stream }))
  const whole: AppParts = {
    ...judging,
    meters: createMetrics({ version: 'test', clock: nowMs }),
    readiness: readiness(parts.ledger ?? judging.ledger, () => seconds(60)),
    assets: new Map(),
    vendorPaths: true,
    trustedProxies: [],
    clientIpHeader: 'x-forwarded-for',
    tlsFingerprintHeader: undefined,
    ...parts,
  }
  const listening = await serve(recorded(appOf(whole), problems))
  const service = {
    ...listening,
    async stop(grace: number) {
      await listening.stop(grace)
      if (problems.length > 0)
        throw new Error(`the service had problems:\n  ${problems.join('\n  ')}`)
    },
    base: `${listening.url}${PLACE.mount}`,
    parts: whole,
    lines: () =>
      (logged.match(/.+/g) ?? []).map((line) => JSON.parse(line) as Record<string, unknown>),
    ask: {
      base: `${listening.url}${PLACE.mount}`,
      sitekey: SITEKEY,
      origin: ORIGIN,
      prove: proverWith(() => whole.tokens),
    },
  }
  return closeLater(service, (it) => it.stop(0))
}

/**
 * Lets an application answer, and notes every answer that is not as `openapi.json` says, whoever asked and however
 * (a raw socket, a real browser): where the answer leaves, nothing escapes.
 */
function recorded(app: App, problems: string[]): App {
  return (req, res, unreadable) => {
    const { method = '', url = '' } = req
    const path = url
      .replace(/^http:\/\/[^/]*/, '')
      .slice(PLACE.mount.length)
      .split(/[?#]/, 1)[0]!
    const [end, writeHead] = [jest.spyOn(res, 'end'), jest.spyOn(res, 'writeHead')]
    res.once('finish', () => {
      // Headers that come with the status are not among `getHeaders`.
      const head = writeHead.mock.calls[0]?.at(-1)
      const headers = new Headers(res.getHeaders() as Record<string, string>)
      if (typeof head === 'object')
        for (const [name, value] of Object.entries(head)) headers.set(name, String(value))
      const seen = { method, path, status: res.statusCode, headers }
      problems.push(...answerProblems({ ...seen, body: String(end.mock.calls[0]?.[0] ?? '') }))
      end.mockRestore()
      writeHead.mockRestore()
    })
    app(req, res, unreadable)
  }
}
