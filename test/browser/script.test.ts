import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { fetchForm, launch, type Stage, stage, twoButtons } from './stage.ts'

/** What pages do by script: docs/widget/widget.md, "The widget". */
declare const svcCaptcha: SvcCaptcha

let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

async function start(change: Parameters<typeof stage>[1] = {}): Promise<void> {
  on = await stage(browser, change)
  on.customer.page = twoButtons(on.service.base)
}
beforeEach(() => start())
afterEach(() => on.close())

/** The operations asked for since so many requests; scripts and workers, whose addresses are others, left out. */
const callsSince = (before: number): string[] =>
  on.requests.slice(before).flatMap((one) => /\/api\/v1\/(\w+)$/.exec(one.url())?.[1] ?? [])

describe('a script', () => {
  test('gets a token that is accepted, a new one each time it asks, and keeps the last one readable', async () => {
    await on.open()
    const [first, second, held] = await on.page.evaluate(async () => {
      const api = svcCaptcha
      const tokens = [await api.execute(), await api.execute()]
      return [...tokens, api.getResponse()]
    })
    expect(second).not.toBe(first)
    expect(held).toBe(second)
    expect([await on.verified(first!), await on.verified(second!)]).toEqual([true, true])
  })

  test('that asks twice at once gets one token', async () => {
    await on.open()
    const tokens = await on.page.evaluate(() => Promise.all([svcCaptcha.execute(), svcCaptcha.execute()]))
    expect(new Set(tokens).size).toBe(1)
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('resets to a fresh token in one round trip, from work already done', async () => {
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.received(1)
    await on.answered('challenge', 2)
    expect(on.calls('challenge')).toHaveLength(2)
    const before = on.requests.length
    const taken = await on.page.evaluate(async () => {
      const solved = new Promise((resolve) => document.addEventListener('svc-captcha:solved', resolve, { once: true }))
      svcCaptcha.reset()
      await solved
      return svcCaptcha.getResponse()
    })
    // The round trip; how long it takes stands in lab/results/widget.md.
    const [first, ...more] = callsSince(before)
    expect(first).toBe('solve')
    expect(more.filter((operation) => operation !== 'challenge')).toEqual([])
    expect(taken).not.toBe(on.tokenOf(0))
    expect(await on.verified(taken)).toBe(true)
  })

  test('resets as quickly the next time, and the time after', async () => {
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    for (let time = 0; time < 3; time++) {
      await on.answered('challenge', time + 2)
      const before = on.requests.length
      await on.page.evaluate(async () => {
        const solved = new Promise((resolve) =>
          document.addEventListener('svc-captcha:solved', resolve, { once: true }),
        )
        svcCaptcha.reset()
        await solved
      })
      expect(callsSince(before)[0]).toBe('solve')
    }
    expect(on.calls('solve')).toHaveLength(4)
  })

  test('is told what happens, once each', async () => {
    on.customer.page = on.customer.page.replace('class="svc-captcha"', 'class="svc-captcha" data-callback="onSolved"')
    await on.page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen, onSolved: (token: string) => seen.push(`callback ${token.length > 20}`) })
      for (const name of ['statechange', 'solved', 'reset'])
        document.addEventListener(`svc-captcha:${name}`, (event) => {
          seen.push((event as CustomEvent<{ state?: string }>).detail.state ?? name)
        })
    })
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    expect(await on.page.evaluate('seen')).toEqual(['working', 'verified', 'solved', 'callback true'])
  })
})
