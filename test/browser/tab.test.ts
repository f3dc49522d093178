import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { ACCEPTED, begin, browser, inChromium, on } from './stage.ts'

/** Tabs that sleep, come back or go offline. Each ends with a form that is accepted. */
declare const svcCaptcha: SvcCaptcha

// Playwright switches the back/forward cache off by default.
inChromium(() => begin(), [], ['--disable-back-forward-cache'])

test('a tab that comes back from the back/forward cache sends a fresh token', async () => {
  await on.open(`${on.customer.page}<script>
    addEventListener('pageshow', (event) => (document.title = event.persisted ? 'came back' : 'loaded'))</script>`)
  for (const count of [1, 2]) {
    await on.fill()
    await on.press()
    await on.arrived(count)
    await on.page.evaluate(() => history.back())
    await on.page.getByLabel('Email').waitFor()
    await on.page.waitForFunction(() => document.title !== '')
    expect(await on.page.title()).toBe('came back')
  }
  expect(on.tokenOf(0)).not.toBe(on.tokenOf(1))
  expect(on.customer.submissions.map(({ verdict }) => verdict['success'])).toEqual([true, true])
})

// All processes of pages are stopped, as on phones: timers and workers stand still, all clocks go on.
test('a tab that was suspended for longer than challenge and token live renews its work', async () => {
  await begin({ challengeLifetime: seconds(3), tokenLifetime: seconds(3) })
  await on.open()
  await on.fill()
  await on.page.evaluate(() => svcCaptcha.execute())
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  expect(pages.length).toBeGreaterThan(0)
  for (const id of pages) process.kill(id, 'SIGSTOP')
  await sleep(1000)
  const before = on.requests.length
  await sleep(5000)
  expect(on.requests).toHaveLength(before)
  for (const id of pages) process.kill(id, 'SIGCONT')
  expect(await on.sent()).toEqual(ACCEPTED)
})

test('a tab that was offline at the first touch works automatically when it is online again', async () => {
  await on.open()
  await on.page.context().setOffline(true)
  await on.fill()
  await on.until('failed')
  expect(await on.status()).toBe(ENGLISH.offline)
  await on.page.context().setOffline(false)
  await on.until('ready')
  expect(await on.sent()).toEqual(ACCEPTED)
})

test('a tab that goes offline before the submit shows it, keeps the form, and sends it when it is online again', async () => {
  await on.open()
  await on.prepare()
  await on.page.context().setOffline(true)
  await on.press()
  await on.until('waiting')
  expect(await on.status()).toBe(ENGLISH.offline)
  await on.until('failed')
  expect(await on.status()).toBe(ENGLISH.offline)
  expect(on.customer.submissions).toEqual([])
  await on.page.context().setOffline(false)
  expect((await on.arrived(1)).verdict['success']).toBe(true)
})

test('a tab that was offline for hours after the press asks for another one, and does not send the form by itself', async () => {
  await on.page.addInitScript(
    `const now = Date.now; window.ahead = 0; Date.now = () => now() + ahead`,
  )
  await on.open()
  await on.prepare()
  await on.page.context().setOffline(true)
  await on.press()
  await on.until('failed')
  await on.page.evaluate('ahead = 36e5')
  await on.page.context().setOffline(false)
  await on.until('ready')
  expect(await on.status()).toBe(ENGLISH.again)
  expect(on.customer.submissions).toEqual([])
  expect(await on.sent()).toEqual(ACCEPTED)
})

test('a tab that was offline for hours sends the form when the visitor presses "Try again"', async () => {
  await on.page.addInitScript(
    `const now = Date.now; window.ahead = 0; Date.now = () => now() + ahead`,
  )
  await on.open()
  await on.page.route('**/api/v1/*', (route) => route.abort())
  await on.press()
  await on.until('failed')
  await on.page.evaluate('ahead = 36e5')
  await on.page.unroute('**/api/v1/*')
  await on.page.getByRole('button', { name: ENGLISH.retry }).click()
  expect((await on.arrived(1)).verdict['success']).toBe(true)
})
