/**
 * docs/design/work.md, "Browsers without a JIT": a browser whose JIT is off (and with it WASM) is fifty times slower at s32.1. It asks for work by
 * its own cryptography instead; where it has none, on plain http, it hands in a part.
 */
import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { ACCEPTED, type Backstage, begin, form, inChromium, on } from './stage.ts'

/** As configured: level 3, 2 s, so that a browser hands in what it has after 4 s. */
const work = { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true }
const PLAIN = 'shop.lan'

inChromium(undefined, ['--js-flags=--jitless', `--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`])

const askedFor = () => on.calls('challenge').map((request) => new URLSearchParams(request.postData()!).get('algorithm'))
/** The last solve: the units of work that were done, and the rules of the score that counted. */
function solved({ service }: Backstage): { units: number; rules: string[] } {
  const line = service.lines().findLast(({ code }) => code === 'solved')
  const { units, contributions } = line!['decision'] as { units: number; contributions: { name: string }[] }
  return { units, rules: contributions.map(({ name }) => name) }
}
async function fillAndSend(): Promise<void> {
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.until('ready')
  expect(await on.sent()).toEqual(ACCEPTED)
}

test('Chromium without a JIT gets a token by pb.1 in the page, where workers are refused', async () => {
  await begin({ work })
  on.customer.headers = { 'content-security-policy': "worker-src 'none'" }
  await on.open()
  expect(await on.page.evaluate(() => typeof WebAssembly)).toBe('undefined')
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(solved(on).rules).toContain('work-by-fallback')
}, 60_000)

test('under the service’s own origin the workers of pb.1 are those of captcha.js', async () => {
  await begin({ work })
  on.customer.page = form(on.customer.url)
  on.customer.script = on.customer.script.replace(on.service.base, on.customer.url)
  on.customer.headers = { 'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" }
  await on.open()
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(new Set(on.workers.map((url) => new URL(url).pathname))).toEqual(new Set(['/assets/captcha.js']))
}, 60_000)

test('where there is no crypto.subtle nobody asks: a part of s32.1 is handed in', async () => {
  await begin({ hostnames: [PLAIN], work: { ...work, level: 4, maxLevel: 4 } })
  const there = (url: string): string => url.replace('127.0.0.1', PLAIN)
  on.customer.page = form(there(on.service.base))
  on.customer.script = on.customer.script.replace(on.service.base, there(on.service.base))
  await on.page.goto(there(on.customer.url))
  expect(await on.page.evaluate(() => typeof crypto.subtle)).toBe('undefined')
  const challenge = on.page.waitForResponse('**/api/v1/challenge')
  await on.page.getByLabel('Email').fill('a@example.com')
  const { work: asked } = (await (await challenge).json()) as { work: { n: number } }
  await on.page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached', timeout: 90_000 })
  expect(await on.sent()).toEqual(ACCEPTED)
  expect(askedFor()).toEqual([null])
  expect(solved(on).units).toBeLessThan(asked.n)
}, 120_000)

test('where the service offers no pb.1 it goes on with s32.1, after one question', async () => {
  await begin({ work: { ...work, level: 1, maxLevel: 1, fallback: false } })
  await on.open()
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(solved(on).rules).not.toContain('work-by-fallback')
}, 60_000)
