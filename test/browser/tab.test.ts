import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { ACCEPTED, begin, browser, inChromium, launch, on, stage } from './stage.ts'

/** Tabs that sleep, come back, go offline, or have a wrong clock. Each ends with a form that is accepted. */
declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const open = (): Promise<unknown> => on.page.goto(on.customer.url)
const fill = (): Promise<void> => on.page.getByLabel('Email').fill('a@example.com')

describe('the tab', () => {
  test('that comes back from the back/forward cache sends a fresh token', async () => {
    // Playwright switches the cache off by default.
    const cached = await launch([], ['--disable-back-forward-cache'])
    const other = await stage(cached)
    try {
      other.customer.page += `<script>addEventListener('pageshow', (event) => {
        document.title = event.persisted ? 'came back' : 'loaded'
      })</script>`
      const { page } = other
      await page.goto(other.customer.url)
      for (const count of [1, 2]) {
        await page.getByLabel('Email').fill(`${count}@example.com`)
        await page.getByText('Send', { exact: true }).click()
        await other.received(count)
        await page.getByRole('heading', { name: 'received' }).waitFor()
        await page.evaluate(() => history.back())
        await page.getByLabel('Email').waitFor()
        await page.waitForFunction(() => document.title !== '')
        expect(await page.title()).toBe('came back')
      }
      const tokens = other.customer.submissions.map(
        ({ fields }) => fields.find(([name]) => name === 'svc-response')?.[1],
      )
      expect(new Set(tokens).size).toBe(2)
      expect(other.customer.submissions.map(({ verdict }) => verdict['success'])).toEqual([true, true])
    } finally {
      await other.close()
      await cached.close()
    }
  })

  // Asleep, timers stand still and the wall clock jumps: the page wakes with work that is long over.
  test('that slept for twenty minutes does its work anew when it wakes', async () => {
    await on.page.addInitScript(() => {
      const now = Date.now.bind(Date)
      Object.assign(window, { slept: 0 })
      Date.now = () => now() + (window as unknown as { slept: number }).slept
    })
    await open()
    await fill()
    await on.until('ready')
    on.ahead = 1_200_000
    await on.page.evaluate(() => {
      Object.assign(window, { slept: 1_200_000 })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    for (let waited = 0; on.calls('challenge').length < 2 && waited < 5000; waited += 50)
      await on.page.waitForTimeout(50)
    expect(on.calls('challenge')).toHaveLength(2)
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('that was offline at the first touch works when it is online again, by itself', async () => {
    await open()
    await on.until('idle')
    await on.page.context().setOffline(true)
    await fill()
    await on.until('failed')
    expect(await on.status()).toBe(ENGLISH.offline)
    await on.page.context().setOffline(false)
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test.each([
    { wrong: 'a day ahead', by: 86_400_000 },
    { wrong: 'a day behind', by: -86_400_000 },
  ])('with a clock that is $wrong', async ({ by }) => {
    await on.page.addInitScript((ms) => {
      const now = Date.now.bind(Date)
      Date.now = () => now() + ms
    }, by)
    await open()
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  // All processes of pages are stopped, as phones do it: timers and workers stand still, all clocks go on. Lifetimes of
  // seconds stand for those of minutes.
  test('that was suspended for longer than challenge and token live does its work anew', async () => {
    await begin({ challengeLifetime: seconds(3), tokenLifetime: seconds(3) })
    await open()
    await fill()
    await on.page.evaluate(() => svcCaptcha.execute())
    const session = await browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
    expect(pages.length).toBeGreaterThan(0)
    for (const id of pages) process.kill(id, 'SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const before = on.requests.length
    await new Promise((resolve) => setTimeout(resolve, 5000))
    expect(on.requests).toHaveLength(before)
    for (const id of pages) process.kill(id, 'SIGCONT')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('that goes offline before the submit says so, keeps the form, and sends it when it is online again', async () => {
    await open()
    await fill()
    await on.until('ready')
    await on.page.context().setOffline(true)
    await on.page.getByText('Send', { exact: true }).click()
    await on.until('waiting')
    expect(await on.status()).toBe(ENGLISH.offline)
    await on.until('failed')
    expect(await on.status()).toBe(ENGLISH.offline)
    expect(on.customer.submissions).toEqual([])
    await on.page.context().setOffline(false)
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })

  test('that loses the service before the submit keeps the form, and sends it when it is asked again', async () => {
    await open()
    await fill()
    await on.until('ready')
    await on.page.route('**/api/v1/*', (route) => route.abort())
    await on.page.getByText('Send', { exact: true }).click()
    await on.until('failed')
    expect(await on.status()).toContain('Your form was not sent')
    expect(on.customer.submissions).toEqual([])
    await on.page.unrouteAll({ behavior: 'ignoreErrors' })
    await on.page.getByRole('button', { name: 'Try again' }).click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })

  test.each([
    { set: 'a day ahead', by: 86_400_000 },
    { set: 'a day back', by: -86_400_000 },
  ])('whose clock is set $set during the visit', async ({ by }) => {
    await on.page.addInitScript(() => {
      const now = Date.now.bind(Date)
      Object.assign(window, { set: 0 })
      Date.now = () => now() + (window as unknown as { set: number }).set
    })
    await open()
    await fill()
    await on.until('ready')
    await on.page.evaluate((ms) => Object.assign(window, { set: ms }), by)
    expect(await on.sent()).toEqual(ACCEPTED)
  })
})
