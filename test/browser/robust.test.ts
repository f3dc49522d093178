import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { container } from '../support/customer.ts'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

/** Pages that are unkind. Each ends with a form that the customer's server finds accepted. */
declare const svcCaptcha: SvcCaptcha

/** Names of a local network, which are this machine. */
const SHOPS = ['shop.lan', '192.168.7.7']
const SERVICE = 'verify.lan'
const RULES = [...SHOPS, SERVICE].map((name) => `MAP ${name} 127.0.0.1`).join()
inChromium(() => begin(), [`--host-resolver-rules=${RULES}`])

const sent = () => on.prepare().then(() => on.sent())

// Plain http anywhere but on loopback is no secure context: it has no `crypto.subtle`.
test.each([
  [SHOPS[0]!, ''],
  [SHOPS[1]!, ''],
  [SHOPS[0]!, "worker-src 'none'"],
])(
  'a page on plain http at %s does the work, and its form is accepted (%s)',
  async (shop, policy) => {
    await begin({ hostnames: [shop] })
    const base = on.service.base.replace('127.0.0.1', SERVICE)
    on.customer.page = form(base)
    on.customer.script = on.customer.script.replace(on.service.base, base)
    on.customer.headers = policy ? { 'content-security-policy': policy } : {}
    await on.page.goto(on.customer.url.replace('127.0.0.1', shop))
    expect(await on.page.evaluate(() => [isSecureContext, typeof crypto.subtle])).toEqual([
      false,
      'undefined',
    ])
    await on.prepare()
    await on.press()
    expect((await on.arrived(1)).verdict).toMatchObject({ success: true, hostname: shop })
  },
)

describe('a page', () => {
  test('with two versions of the script has one widget, one challenge and one token', async () => {
    on.customer.script += on.customer.script.replace('v=1', 'v=2')
    await on.open()
    expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
    expect(await sent()).toEqual(ACCEPTED)
    expect([on.calls('challenge').length, on.calls('solve').length]).toEqual([1, 1])
  })

  test('that replaces Date, fetch, timers, Promise and JSON later does not stop a widget', async () => {
    await on.open(`${on.customer.page}<script>addEventListener('DOMContentLoaded', () => setTimeout(() => {
      const no = () => { throw new Error('patched') }
      window.fetch = no
      window.setTimeout = window.clearTimeout = window.requestAnimationFrame = () => 0
      window.Promise = window.Worker = window.URLSearchParams = window.AbortController = window.Map = window.Set = no
      window.JSON = {}
      Date.now = () => NaN
      performance.now = () => 0
      document.title = 'patched'
    }, 100))</script>`)
    await on.until('idle')
    for (let waited = 0; (await on.page.title()) !== 'patched' && waited < 5000; waited += 50)
      await sleep(50)
    expect(await sent()).toEqual(ACCEPTED)
    expect(on.workers.length).toBeGreaterThan(0)
  })

  test.each([
    [
      'wraps fetch, timers, Promise and Date',
      `<script>const { fetch, setTimeout, Date: Before, Promise: Plain } = window
      window.fetch = function (...args) { return fetch.apply(this, args).then((answer) => answer) }
      window.setTimeout = function (task, ms) { return setTimeout(() => task(), ms) }
      window.Promise = class extends Plain { then(...args) { return super.then(...args) } }
      window.Date = class extends Before { constructor() { super(0) } static now() { return 0 } }</script>`,
    ],
    [
      'adds tracing headers to every fetch',
      `<script>const { fetch } = window, headers = { traceparent: '00-0-0-01', baggage: 'a=b' }
      window.fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } })</script>`,
    ],
    ['removes the console', '<script>window.console = undefined</script>'],
    [
      'has a base and no referrer',
      '<base href="/other/"><meta name="referrer" content="no-referrer">',
    ],
  ])('that %s before our script loads does not stop a widget', async (_what, head) => {
    on.customer.script = head + on.customer.script
    await on.open()
    expect(await sent()).toEqual(ACCEPTED)
  })

  test('that writes on the prototypes of everything does not stop a widget', async () => {
    await on.open(`${on.customer.page}<script>
      for (const [name, value] of Object.entries({ theme: 'evil', sitekey: 'hv_site_other', apiBase: 'https://evil.example',
        language: 'de', start: 'manual', texts: { label: 'evil' }, textLabel: 'evil', size: 'invisible', 'error-codes': ['x'],
        'response-field-name': 'evil', errorCallback: 'evil', extend() {}, each() {}, key: 1, waiter: 'script', progress: 1 }))
        Object.prototype[name] = value
      Array.prototype.each = Array.prototype.remove = function () {}
      Array.prototype.toJSON = function () { return '[]' }
      String.prototype.toJSON = undefined
    </script>`)
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .label').innerText()).toBe('I am human')
    expect(await sent()).toEqual(ACCEPTED)
  })

  test('that lets visitors write attributes requests nothing of the address that one of them gives', async () => {
    const asked: string[] = []
    const other = await on.serve((req, res) => {
      asked.push(req.url ?? '')
      const head = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }
      res.writeHead(200, head).end("document.title = 'pwned'")
    })
    // An element of that name hides `document.currentScript`.
    on.customer.script = `<img name="currentScript" src="data:,">${on.customer.script}`
    await on.open(on.customer.page + container(other, 'id="comment"'))
    await on.page.locator('#comment .box').click()
    await on.page.locator('#comment .box.failed').waitFor()
    await on.prepare()
    expect(asked).toEqual([])
    expect(on.said.join()).toContain('svc-captcha: 106')
  })

  test('that saves its markup and restores it sends one token, the new one', async () => {
    await on.open()
    await on.prepare()
    await on.page.evaluate(async () => {
      await svcCaptcha.execute()
      const whole = document.querySelector('form')!
      const saved = whole.outerHTML
      whole.outerHTML = saved
    })
    await on.until('idle')
    expect(await sent()).toEqual(ACCEPTED)
  })

  // As libraries do that morph the page into what the server sent: Turbo, Livewire, Alpine.
  test.each(['submit', 'render'])(
    'that empties the container gets the box back, execution %s',
    async (execution) => {
      const state = execution === 'submit' ? 'ready' : 'verified'
      await on.openForm(`data-execution="${execution}" data-start="load"`)
      await on.until(state)
      await on.page.evaluate(() => document.querySelector('.svc-captcha')!.replaceChildren())
      await on.until(state)
      expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
      const field = await on.page.evaluate('new FormData(document.forms[0]).get("svc-response")')
      expect(String(field).length > 100).toBe(execution === 'render')
      await on.fill()
      expect(await on.sent()).toEqual(ACCEPTED)
    },
  )

  test('with the script among its own, under another name, names the service in its tag', async () => {
    const source = await (await fetch(`${on.service.base}/assets/captcha.js`)).text()
    await on.page.route('**/app.js', (route) =>
      route.fulfill({ body: source, contentType: 'text/javascript' }),
    )
    on.customer.script = `<script src="/app.js" data-api-base="${on.service.base}/" defer></script>`
    await on.open()
    expect(await sent()).toEqual(ACCEPTED)
  })

  test.each([
    ['open', 'in it'],
    ['closed', 'in it'],
    ['open', 'and then moved into it'],
    ['closed', 'and then moved into it'],
  ] as const)(
    'with its form in a shadow tree (%s), rendered %s, holds the submit',
    async (mode, rendered) => {
      await on.open(form(on.service.base).replace('svc-captcha', 'mine'))
      await on.page.evaluate(
        ([its, when]) => {
          const place = document.querySelector<HTMLElement>('.mine')!
          const inner = place.closest('form')!
          const root = document.body
            .appendChild(document.createElement('div'))
            .attachShadow({ mode: its })
          if (when === 'in it') root.append(inner)
          svcCaptcha.render(place)
          root.append(inner)
          inner.querySelector('input')!.focus()
        },
        [mode, rendered] as const,
      )
      await on.page.keyboard.type('a@example.com')
      await on.page.keyboard.press('Enter')
      const { fields, verdict } = await on.arrived(1)
      expect(verdict['success']).toBe(true)
      expect(fields.map(([name]) => name)).toEqual(
        expect.arrayContaining(['email', 'svc-response']),
      )
    },
  )
})

describe('a frame', () => {
  const inside = () => on.page.frameLocator('iframe')
  async function sentInside(): Promise<unknown> {
    await inside().getByLabel('Email').fill('a@example.com')
    await inside().locator('.svc-captcha .box.ready').waitFor()
    await inside().getByText('Send', { exact: true }).click()
    return (await on.received(1)).verdict['success']
  }
  /** Puts script and form into a frame without an address. */
  async function openSrcdoc(attributes = ''): Promise<void> {
    const inner = `${on.customer.script}${form(on.service.base)}`.replaceAll('"', '&quot;')
    on.customer.script = ''
    await on.open(`<iframe ${attributes} srcdoc="${inner}"></iframe>`)
  }

  test('of another site has a widget', async () => {
    const html = `<!doctype html><iframe src="${on.customer.url}"></iframe>`
    const other = await on.serve(
      (_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(html),
    )
    await on.page.goto(other.replace('127.0.0.1', 'localhost'))
    expect(await sentInside()).toBe(true)
  })

  test('with its text from srcdoc has a widget', async () => {
    await openSrcdoc()
    expect(await sentInside()).toBe(true)
  })

  // Its origin is `null`, which no site can list.
  test('sandboxed without allow-same-origin reports that its hostname is not listed, and sends nothing', async () => {
    await openSrcdoc('sandbox="allow-scripts allow-forms"')
    await inside().getByText('Send', { exact: true }).click()
    await inside().locator('.svc-captcha .box.failed').waitFor()
    expect(on.said.join()).toContain('svc-captcha: 103')
    expect(on.customer.submissions).toEqual([])
  })
})
