/**
 * docs/design/work.md, "Browsers without a JIT": without a JIT, and so without WASM, a browser is fifty times slower at s32.1. It requests
 * work for Web Cryptography instead; without that, on plain http, it hands in a part.
 */
import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

/** As configured: level 3, 2 s, so that a browser hands in what it has after 4 s. */
const work = { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true }
const PLAIN = 'shop.lan'

inChromium(undefined, ['--js-flags=--jitless', `--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`])

const askedFor = () =>
  on.calls('challenge').map((request) => new URLSearchParams(request.postData()!).get('algorithm'))
/** The last solve: the units of work that were done, and the rules of the score that counted. */
function solved(): { units: number; rules: string[] } {
  const line = on.service.lines().findLast(({ code }) => code === 'solved')
  const { units, contributions } = line!['decision'] as {
    units: number
    contributions: { name: string }[]
  }
  return { units, rules: contributions.map(({ name }) => name) }
}
async function fillAndSend(): Promise<void> {
  await on.fill()
  await on.page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached', timeout: 90_000 })
  expect(await on.sent()).toEqual(ACCEPTED)
}

test('Chromium without a JIT gets a token by pb.1 in the page, where workers are refused', async () => {
  await begin({ work })
  on.customer.headers = { 'content-security-policy': "worker-src 'none'" }
  await on.open()
  expect(await on.page.evaluate(() => typeof WebAssembly)).toBe('undefined')
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(solved().rules).toContain('work-by-fallback')
})

test('without crypto.subtle a part of s32.1 is handed in, and no other work is requested', async () => {
  await begin({ hostnames: [PLAIN], work: { ...work, level: 4, maxLevel: 4 } })
  const there = (url: string): string => url.replace('127.0.0.1', PLAIN)
  on.customer.page = form(there(on.service.base))
  on.customer.script = on.customer.script.replace(on.service.base, there(on.service.base))
  await on.page.goto(there(on.customer.url))
  expect(await on.page.evaluate(() => typeof crypto.subtle)).toBe('undefined')
  const challenge = on.page.waitForResponse('**/api/v1/challenge')
  await on.page.getByLabel('Email').focus()
  const { work: asked } = (await (await challenge).json()) as { work: { n: number } }
  await fillAndSend()
  expect(askedFor()).toEqual([null])
  expect(solved().units).toBeLessThan(asked.n)
}, 120_000)

test('a service without pb.1 is asked for it once, and s32.1 goes on', async () => {
  await begin({ work: { ...work, level: 1, maxLevel: 1, fallback: false } })
  await on.open()
  await fillAndSend()
  expect(askedFor()).toEqual([null, 'pb.1'])
  expect(solved().rules).not.toContain('work-by-fallback')
})
