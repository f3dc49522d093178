import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'
import type { SvcCaptcha } from '../../widget/src/captcha.ts'
import { needProgram } from '../support/install.ts'
import { form, launch, type Stage, stage } from './stage.ts'

/** Pages that are unkind: issue 4, item 7. Each ends with a form that the customer's server finds accepted. */
declare const svcCaptcha: SvcCaptcha

let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  on = await stage(browser)
})
afterEach(() => on.close())

const open = (): Promise<unknown> => on.page.goto(on.customer.url)
const fill = (): Promise<void> => on.page.getByLabel('Email').fill('a@example.com')
/** Sends the form, and says what the customer's server was told of it. */
async function sent(): Promise<unknown> {
  await on.page.getByText('Send', { exact: true }).click()
  await on.received(1)
  await on.page.getByRole('heading', { name: 'received' }).waitFor()
  const { fields, verdict } = on.customer.submissions[0]!
  const tokens = fields.filter(([name]) => name === 'svc-response').length
  return { success: verdict['success'], codes: verdict['error-codes'], tokens }
}
const ACCEPTED = { success: true, codes: [], tokens: 1 }
const boxes = (): Promise<number> => on.page.locator('.svc-captcha .box').count()

describe('a page that mounts more than once', () => {
  test('with two versions of the script has one widget, one challenge and one token', async () => {
    on.customer.script += on.customer.script.replace('v=1', 'v=2')
    await open()
    await on.until('idle')
    expect(await boxes()).toBe(1)
    await fill()
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
    expect(on.calls('challenge')).toHaveLength(1)
    expect(on.calls('solve')).toHaveLength(1)
  })

  // React's StrictMode runs every effect, its clean-up, and the effect again.
  test('as StrictMode does ends with one widget that works, and the first one leaves nothing', async () => {
    on.customer.page = form(on.service.base).replace('svc-captcha', 'mine')
    await open()
    const count = await on.page.evaluate(() => {
      const place = document.querySelector<HTMLElement>('.mine')!
      const effect = () => {
        const id = svcCaptcha.render(place)
        return () => svcCaptcha.remove(id)
      }
      effect()()
      effect()
      return { hosts: place.querySelectorAll('div').length, fields: place.querySelectorAll('input').length }
    })
    expect(count).toEqual({ hosts: 1, fields: 1 })
    await on.page.evaluate(() => document.querySelector('.mine')!.classList.add('svc-captcha'))
    await fill()
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
    expect(on.calls('challenge')).toHaveLength(1)
  })

  test.each([
    { when: 'at once, as when nodes are moved', after: 0 },
    { when: 'after two seconds, as when a dialog is opened again', after: 2000 },
  ])('takes the container out and puts it back $when', async ({ after }) => {
    await open()
    await on.until('idle')
    await on.page.evaluate((ms) => {
      const place = document.querySelector('.svc-captcha')!
      const parent = place.parentElement!
      place.remove()
      if (ms) setTimeout(() => parent.prepend(place), ms)
      else parent.prepend(place)
    }, after)
    await on.page.waitForTimeout(after + 1500)
    expect(await boxes()).toBe(1)
    await fill()
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
  })
})

describe('the tab', () => {
  test('that comes back from the back/forward cache sends a fresh token', async () => {
    // Playwright switches the cache off by default.
    const cached = await chromium.launch({
      executablePath: needProgram('chromium'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    })
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
    expect(await sent()).toEqual(ACCEPTED)
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('that was offline at the first touch works when it is online again, by itself', async () => {
    await open()
    await on.until('idle')
    await on.page.context().setOffline(true)
    await fill()
    await on.until('failed')
    await on.page.context().setOffline(false)
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
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
    expect(await sent()).toEqual(ACCEPTED)
  })
})

describe('the page', () => {
  test('that replaces Date, fetch, timers, Promise and JSON later does not stop a widget', async () => {
    on.customer.page += `<script>addEventListener('DOMContentLoaded', () => setTimeout(() => {
      const no = () => { throw new Error('patched') }
      window.fetch = no
      window.setTimeout = window.clearTimeout = window.requestAnimationFrame = () => 0
      window.Promise = window.Worker = window.URLSearchParams = window.AbortController = window.Map = window.Set = no
      window.JSON = {}
      Date.now = () => NaN
      performance.now = () => 0
      document.title = 'patched'
    }, 100))</script>`
    await open()
    await on.until('idle')
    for (let waited = 0; (await on.page.title()) !== 'patched' && waited < 5000; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50))
    await fill()
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
    expect(on.workers.length).toBeGreaterThan(0)
  })

  test('that writes on the prototypes of everything does not stop a widget', async () => {
    on.customer.page += `<script>
      for (const [name, value] of Object.entries({ theme: 'evil', sitekey: 'hv_site_other', apiBase: 'https://evil.example',
        language: 'de', start: 'manual', texts: { label: 'evil' }, textLabel: 'evil', test: true, size: 'invisible', 'error-codes': ['x'],
        extend() {}, each() {}, key: 1, wanted: 'script', progress: 1 }))
        Object.prototype[name] = value
      Array.prototype.each = Array.prototype.remove = function () {}
      Array.prototype.toJSON = function () { return '[]' }
      String.prototype.toJSON = undefined
    </script>`
    await open()
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .label').innerText()).toBe('I am human')
    expect(await on.page.locator('.svc-captcha .test').innerText()).toBe('')
    await fill()
    await on.until('ready')
    expect(await sent()).toEqual(ACCEPTED)
  })

  test('may stand in a frame of another site', async () => {
    const outer = createServer((_req, res) => {
      res
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><iframe src="${on.customer.url}"></iframe>`)
    }).listen(0, '127.0.0.1')
    await once(outer, 'listening')
    await on.page.goto(`http://localhost:${(outer.address() as AddressInfo).port}`)
    const inside = on.page.frameLocator('iframe')
    await inside.getByLabel('Email').fill('a@example.com')
    await inside.locator('.svc-captcha .box.ready').waitFor()
    await inside.getByText('Send', { exact: true }).click()
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    outer.close()
    outer.closeAllConnections()
  })
})
