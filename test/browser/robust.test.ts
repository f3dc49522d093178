import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { container } from '../support/customer.ts'
import { ACCEPTED, begin, browser, form, inChromium, on } from './stage.ts'

/** Pages that are unkind. Each ends with a form that the customer's server finds accepted. */
declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const open = (): Promise<unknown> => on.page.goto(on.customer.url)
const fill = (): Promise<void> => on.page.getByLabel('Email').fill('a@example.com')
const boxes = (): Promise<number> => on.page.locator('.svc-captcha .box').count()

describe('a page that mounts more than once', () => {
  test('with two versions of the script has one widget, one challenge and one token', async () => {
    on.customer.script += on.customer.script.replace('v=1', 'v=2')
    await open()
    await on.until('idle')
    expect(await boxes()).toBe(1)
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.calls('challenge')).toHaveLength(1)
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('takes the container out and puts it back at once, as when nodes are moved', async () => {
    await open()
    await on.until('idle')
    await on.page.evaluate(() => {
      const place = document.querySelector('.svc-captcha')!
      const parent = place.parentElement!
      place.remove()
      parent.prepend(place)
    })
    await on.page.waitForTimeout(1500)
    expect(await boxes()).toBe(1)
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
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
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.workers.length).toBeGreaterThan(0)
  })

  test('that writes on the prototypes of everything does not stop a widget', async () => {
    on.customer.page += `<script>
      for (const [name, value] of Object.entries({ theme: 'evil', sitekey: 'hv_site_other', apiBase: 'https://evil.example',
        language: 'de', start: 'manual', texts: { label: 'evil' }, textLabel: 'evil', size: 'invisible', 'error-codes': ['x'],
        extend() {}, each() {}, key: 1, waiter: 'script', progress: 1 }))
        Object.prototype[name] = value
      Array.prototype.each = Array.prototype.remove = function () {}
      Array.prototype.toJSON = function () { return '[]' }
      String.prototype.toJSON = undefined
    </script>`
    await open()
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .label').innerText()).toBe('I am human')
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('that lets visitors write attributes asks nothing of the address that one of them gives', async () => {
    const asked: string[] = []
    const stranger = createServer((req, res) => {
      asked.push(req.url ?? '')
      const head = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }
      res.writeHead(200, head).end("document.title = 'pwned'")
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const base = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    on.customer.page += container(base, 'id="comment"')
    // An element of that name stands in the way of `document.currentScript`.
    on.customer.script = `<img name="currentScript" src="data:,">${on.customer.script}`
    await open()
    await on.page.locator('#comment .box').click()
    await on.page.locator('#comment .box.failed').waitFor()
    await fill()
    await on.until('ready')
    expect(asked).toEqual([])
    expect(on.said.join()).toContain('svc-captcha: 106')
    stranger.close()
    stranger.closeAllConnections()
  })

  test('that saves its markup and puts it back sends one token, the new one', async () => {
    await open()
    await fill()
    await on.until('ready')
    await on.page.evaluate(async () => {
      await svcCaptcha.execute()
      const whole = document.querySelector('form')!
      const saved = whole.outerHTML
      whole.outerHTML = saved
    })
    await on.until('idle')
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  // As libraries do that morph the page into what the server sent: Turbo, Livewire, Alpine.
  test.each(['submit', 'render'])('that empties the container gets the box back, execution %s', async (execution) => {
    on.customer.page = form(on.service.base, `data-execution="${execution}" data-start="load"`)
    await open()
    await on.until(execution === 'submit' ? 'ready' : 'verified')
    await on.page.evaluate(() => document.querySelector('.svc-captcha')!.replaceChildren())
    await on.until(execution === 'submit' ? 'ready' : 'verified')
    expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
    const field = await on.page.evaluate('new FormData(document.forms[0]).get("svc-response")')
    expect(String(field).length > 100).toBe(execution === 'render')
    await fill()
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('with a ready() callback that throws has the later ones called all the same', async () => {
    on.customer.script = on.customer.script.replace(' defer', '')
    on.customer.page = `<script>
      svcCaptcha.ready(() => { throw new Error('of the page') })
      svcCaptcha.ready(() => { document.title = 'called' })
    </script>${on.customer.page}`
    await open()
    await on.until('idle')
    expect(await on.page.title()).toBe('called')
  })

  test('with the script among its own, under another name, names the service in its tag', async () => {
    const source = await (await fetch(`${on.service.base}/assets/captcha.js`)).text()
    await on.page.route('**/app.js', (route) => route.fulfill({ body: source, contentType: 'text/javascript' }))
    on.customer.script = `<script src="/app.js" data-api-base="${on.service.base}/" defer></script>`
    await open()
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test.each([
    { mode: 'open', rendered: 'in it' },
    { mode: 'closed', rendered: 'in it' },
    { mode: 'open', rendered: 'and then moved into it' },
    { mode: 'closed', rendered: 'and then moved into it' },
  ] as const)(
    'with its form in a shadow tree ($mode), rendered $rendered, holds the submit',
    async ({ mode, rendered }) => {
      on.customer.page = form(on.service.base).replace('svc-captcha', 'mine')
      await open()
      await on.page.evaluate(
        ([its, when]) => {
          const place = document.querySelector<HTMLElement>('.mine')!
          const inner = place.closest('form')!
          const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: its })
          if (when === 'in it') root.append(inner)
          svcCaptcha.render(place)
          root.append(inner)
          inner.querySelector('input')!.focus()
        },
        [mode, rendered] as const,
      )
      await on.page.keyboard.type('a@example.com')
      await on.page.keyboard.press('Enter')
      await on.received(1)
      const { fields, verdict } = on.customer.submissions[0]!
      expect({ success: verdict['success'], fields: fields.map(([name]) => name) }).toEqual({
        success: true,
        fields: expect.arrayContaining(['email', 'svc-response']),
      })
    },
  )

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

  test('that has wrapped fetch, timers, Promise and Date before our script comes does not stop a widget', async () => {
    on.customer.script = `<script>
      const { fetch, setTimeout, Date: Before, Promise: Plain } = window
      window.fetch = function (...args) { return fetch.apply(this, args).then((answer) => answer) }
      window.setTimeout = function (task, ms) { return setTimeout(() => task(), ms) }
      window.Promise = class extends Plain { then(...args) { return super.then(...args) } }
      window.Date = class extends Before { constructor() { super(0) } static now() { return 0 } }
      </script>${on.customer.script}`
    await open()
    await fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('may stand in a frame that has its text from srcdoc', async () => {
    const inner = form(on.service.base).replaceAll('"', '&quot;')
    on.customer.page = `<iframe srcdoc="${on.customer.script.replaceAll('"', '&quot;')}${inner}"></iframe>`
    on.customer.script = ''
    await open()
    const inside = on.page.frameLocator('iframe')
    await inside.getByLabel('Email').fill('a@example.com')
    await inside.locator('.svc-captcha .box.ready').waitFor()
    await inside.getByText('Send', { exact: true }).click()
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })

  // Its origin is `null`, which no site can list.
  test('in a sandboxed frame without allow-same-origin says which hostname is missing, and sends nothing', async () => {
    const inner = form(on.service.base).replaceAll('"', '&quot;')
    on.customer.page = `<iframe sandbox="allow-scripts allow-forms" srcdoc="${on.customer.script.replaceAll('"', '&quot;')}${inner}"></iframe>`
    on.customer.script = ''
    await open()
    const inside = on.page.frameLocator('iframe')
    await inside.getByText('Send', { exact: true }).click()
    await inside.locator('.svc-captcha .box.failed').waitFor()
    expect(on.said.join()).toContain('svc-captcha: 103')
    expect(on.customer.submissions).toEqual([])
  })

  test('without JavaScript shows its <noscript> message, and what it sends is not accepted', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    on.customer.page = form(on.service.base).replace(
      '<button',
      '<noscript>Please switch JavaScript on.</noscript><button',
    )
    await page.goto(on.customer.url)
    expect(await page.locator('noscript').isVisible()).toBe(true)
    await page.getByText('Send', { exact: true }).click()
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: false })
    await context.close()
  })
})
