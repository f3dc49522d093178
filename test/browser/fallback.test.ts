/**
 * docs/design/work.md, "Browsers without a JIT": a browser whose JIT is off (and with it WASM) is fifty times slower at s32.1. It asks for work by
 * its own cryptography instead; where it has none, on plain http, it hands in a part.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { memoryLimiter } from '../../src/store/limits.ts'
import { whoIs } from '../../src/operations/caller.ts'
import { seconds } from '../../src/domain/words.ts'
import { type Backstage, form, launch, type Stage, stage } from './stage.ts'

/** As configured: level 3, 2 s, so that a browser hands in what it has after 4 s. */
const work = { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true }
const PLAIN = 'shop.lan'

let jitless: Browser
let on: Stage
beforeAll(async () => {
  jitless = await launch(['--js-flags=--jitless', `--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`])
})
afterAll(() => jitless.close())
afterEach(() => on.close())

const askedFor = () => on.calls('challenge').map((request) => new URLSearchParams(request.postData()!).get('algorithm'))
/** The rules of the score that counted in the last solve. */
function contributions({ service }: Backstage): string[] {
  const line = service.lines().findLast(({ code }) => code === 'solved')
  const decision = line?.['decision'] as { contributions: { name: string }[] } | undefined
  return (decision?.contributions ?? []).map(({ name }) => name)
}
async function fillAndSend(): Promise<void> {
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.until('ready')
  await on.page.getByText('Send').click({ noWaitAfter: true })
  await on.arrived(1)
  expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
}

test.each([
  { rung: 'in workers of a blob:', policy: '' },
  { rung: 'in the page', policy: "worker-src 'none'" },
])(
  'Chromium without a JIT gets a token by pb.1, $rung',
  async ({ policy }) => {
    on = await stage(jitless, { work })
    on.customer.headers = policy ? { 'content-security-policy': policy } : {}
    await on.open()
    expect(await on.page.evaluate(() => typeof WebAssembly)).toBe('undefined')
    await fillAndSend()
    expect(askedFor()).toEqual([null, 'pb.1'])
    expect(contributions(on)).toContain('work-by-fallback')
  },
  60_000,
)

test('under the service’s own origin the workers of pb.1 are those of captcha.js', async () => {
  on = await stage(jitless, { work })
  on.customer.page = form(on.customer.url)
  on.customer.script = on.customer.script.replace(on.service.base, on.customer.url)
  on.customer.headers = { 'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" }
  await on.open()
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(new Set(on.workers.map((url) => new URL(url).pathname))).toEqual(new Set(['/assets/captcha.js']))
}, 60_000)

test('where there is no crypto.subtle nobody asks: a part of s32.1 is handed in', async () => {
  on = await stage(jitless, { hostnames: [PLAIN], work: { ...work, level: 5, maxLevel: 5 } })
  const there = (url: string): string => url.replace('127.0.0.1', PLAIN)
  on.customer.page = form(there(on.service.base))
  on.customer.script = on.customer.script.replace(on.service.base, there(on.service.base))
  await on.page.goto(there(on.customer.url))
  expect(await on.page.evaluate(() => typeof crypto.subtle)).toBe('undefined')
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached', timeout: 90_000 })
  await on.page.getByText('Send').click({ noWaitAfter: true })
  await on.arrived(1)
  expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
  expect(askedFor()).toEqual([null])
  expect(contributions(on)).toContain('work-in-part')
}, 120_000)

describe('it goes on with s32.1, after one question, when', () => {
  const light = { ...work, level: 1, maxLevel: 1 }

  test('the site has switched pb.1 off', async () => {
    on = await stage(jitless, { work: { ...light, fallback: false } })
    await on.open()
    await fillAndSend()
    expect(askedFor()).toEqual([null, 'pb.1'])
    expect(contributions(on)).not.toContain('work-by-fallback')
  }, 60_000)

  test('the address has used up its limit', async () => {
    const many = { points: 1000, per: seconds(60) }
    const limiter = memoryLimiter({
      challenge: many,
      solve: many,
      siteverify: many,
      fallback: { ...many, points: 1 },
      junk: { ...many, points: 1 },
      ticket: many,
      invalidSecret: many,
    })
    on = await stage(jitless, { work: light }, { limiter })
    await limiter.take('fallback', whoIs(on.service.parts.tokens.markAddress('127.0.0.1')))
    await on.open()
    await fillAndSend()
    expect(askedFor()).toEqual([null, 'pb.1'])
    expect(contributions(on)).not.toContain('work-by-fallback')
  }, 60_000)
})

test('with a JIT nobody asks', async () => {
  const browser = await launch()
  on = await stage(browser, { work })
  await on.open()
  await fillAndSend()
  expect(askedFor()).toEqual([null])
  await browser.close()
}, 60_000)
