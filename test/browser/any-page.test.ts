/** Pages as they are in the field, as in docs/widget/works-under.md. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { ACCEPTED, begin, form, inChromium, MANAGED, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

type Html = (base: string) => string
const EMAIL = '<input name="email" aria-label="Email">'
/** A form with a field, a widget and a button, or with other contents. */
const formOf =
  (inner: Html): Html =>
  (base: string) =>
    `<form id="form" method="post" action="/handle">${inner(base)}</form>`
const element = (base: string, attributes = ''): string =>
  `<human-verification ${attributes} sitekey="${SITEKEY}" action="sign-up" api-base="${base}/"></human-verification>`

const open = (page: Html): Promise<unknown> => on.open(page(on.service.base))
/** Opens a page whose challenge is answered when the test calls `go`: until then a submit is held. */
async function openHeld(page: Html): Promise<void> {
  const held = new Promise<void>((resolve) => (go = resolve))
  await on.page.route('**/api/v1/challenge', (route) => held.then(() => route.continue()))
  await open(page)
}
let go: () => void
async function press(selector: string): Promise<void> {
  await on.page.locator(selector).click({ noWaitAfter: true })
  await on.page.waitForTimeout(100)
}
const submitted = () => {
  const [{ fields, path, verdict }] = on.customer.submissions as [(typeof on.customer.submissions)[0]]
  const { 'svc-response': _, ...others } = Object.fromEntries(fields)
  return { path, success: verdict['success'], fields: others, tokens: fields.length - Object.keys(others).length }
}

describe('a form that changes while its submit is held arrives as it was at the press, when', () => {
  const page =
    (reaction: string): Html =>
    (base) =>
      `${formOf(
        () => `<input name="email" value="a@example.com">${container(base)}
    <fieldset><button id="send" name="register" value="Register" formaction="/register">Send</button></fieldset>`,
      )(base)}
    <script>const form = document.getElementById('form'), button = document.getElementById('send'); ${reaction}</script>`
  const later = (change: string): string => `button.addEventListener('click', () => setTimeout(() => { ${change} }))`

  test.each([
    ['nothing changes', ''],
    ['the button is disabled', later('button.disabled = true')],
    ['the fieldset is disabled', later("document.querySelector('fieldset').disabled = true")],
    ['the button is replaced by a copy', later('button.replaceWith(button.cloneNode(true))')],
    ['the button is removed', later('button.remove()')],
    ['the value of the button is changed', later("button.value = 'busy'")],
    ['the field is cleared', later("form.elements.email.value = ''")],
    ['the field is cleared and required', later("form.elements.email.required = true; form.elements.email.value = ''")],
    ['the form is removed', later('form.remove()')],
    ['the address of the form is changed', later("button.formAction = '/other'; form.action = '/other'")],
    ['the form opens another window', later("form.target = '_blank'; form.method = 'get'")],
  ])('%s', async (_when, reaction) => {
    await openHeld(page(reaction))
    await on.until('idle')
    await press('#send')
    go()
    await on.arrived(1)
    const fields = { email: 'a@example.com', register: 'Register' }
    expect(submitted()).toEqual({ path: '/register', fields, tokens: 1, success: true })
  })
})

describe('a container that leaves the document and comes back has one widget again,', () => {
  const panel =
    (inner: Html): Html =>
    (base) =>
      `<div id="place">${formOf(() => `${EMAIL}${inner(base)}<button>Send</button>`)(base)}</div>`
  test.each([
    ['by class', 2000, panel(container)],
    ['by class', 0, panel(container)],
    ['by its element', 2000, panel(element)],
    ['by render()', 2000, panel(() => '<div id="mine"></div>')],
  ])('%s, after %i ms', async (how, ms, page) => {
    await open(page)
    if (how === 'by render()')
      await on.page.evaluate(
        ([base, sitekey]) => svcCaptcha.render('#mine', { sitekey, action: 'sign-up', apiBase: `${base!}/` }),
        [on.service.base, SITEKEY] as const,
      )
    await on.until('idle')
    await on.page.evaluate(async (delay) => {
      const whole = document.getElementById('form')!
      whole.remove()
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay))
      document.getElementById('place')!.append(whole)
    }, ms)
    await on.until('idle')
    if (!ms) await on.page.waitForTimeout(1500)
    expect(await on.page.locator('svc-captcha-box').count()).toBe(1)
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
  })
})

describe('a theme hides', () => {
  test.each([
    ['what is empty', 'div:empty { display: none }'],
    ['every div of a form', 'form div div, form > div > * { display: none; opacity: 0; visibility: hidden }'],
    ['and floats', 'form * { float: right; position: absolute; height: 0; overflow: hidden }'],
  ])('%s, and the box is visible', async (_what, css) => {
    await open((base) => `<style>${css}</style>${form(base)}`)
    await on.until('idle')
    const { width, height } = (await on.page.locator('svc-captcha-box .box').boundingBox())!
    expect(width).toBeGreaterThan(100)
    expect(height).toBeGreaterThan(40)
  })

  test('what is empty, and the step of a second try can be pressed', async () => {
    await begin(MANAGED)
    await open((base) => `<style>div:empty, form > div > div { display: none }</style>${form(base)}`)
    await on.press()
    await on.confirm()
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  })
})

describe('a form that is not around its fields or its box', () => {
  test.each<[string, Html]>([
    [
      'begins inside a table',
      (base) =>
        `<table><form id="form" method="post" action="/handle"><tr><td>${EMAIL}</td></tr><tr><td>${container(base)}<button>Send</button></td></tr></form></table>`,
    ],
    [
      'is named by the element',
      (base) => formOf(() => `${EMAIL}<button>Send</button>`)(base) + element(base, 'form="form"'),
    ],
    [
      'is named by the container',
      (base) => formOf(() => `${EMAIL}<button>Send</button>`)(base) + container(base, 'data-form="form"'),
    ],
    [
      'owns its fields by their attribute',
      (base) =>
        `${formOf(container)(base)}<input form="form" name="email" aria-label="Email"><button form="form">Send</button>`,
    ],
  ])('that %s goes with a token, and its touch starts the work', async (_how, page) => {
    await open(page)
    await on.until('idle')
    await on.fill()
    await on.until('ready')
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('and is named nowhere is reported in the console', async () => {
    await open((base) => `${formOf(() => '<button>Send</button>')(base)}${container(base)}`)
    await on.until('idle')
    await on.page.evaluate(() => document.forms[0]!.setAttribute('target', 'elsewhere'))
    await on.press()
    await on.received(1)
    expect(on.said.join()).toContain('svc-captcha: 109')
  })
})

test.each<[string, Html]>([
  ['two boxes', container],
  ['a box and the element', element],
  ['a field of the page', () => '<input type="hidden" name="svc-response" value="old">'],
])('a form with one name twice sends one token, and the console says so: %s', async (_what, more) => {
  await open(formOf((base) => `${EMAIL}${container(base)}${more(base)}<button>Send</button>`))
  await on.until('idle')
  await on.fill()
  expect(await on.sent()).toEqual(ACCEPTED)
  expect(on.calls('solve')).toHaveLength(1)
  expect(on.said.join()).toContain('svc-captcha: 108')
})

describe('members that a name hides, and targets that mean this window', () => {
  const NAMES = 'target requestSubmit contains elements method action matches noValidate closest'
  test.each(NAMES.split(' '))('a field named %s: sent once by two presses, with a token', async (name) => {
    await openHeld(formOf((base) => `<input name="${name}" aria-label="Email">${container(base)}<button>Send</button>`))
    await on.until('idle')
    await on.fill()
    await press('text=Send')
    await press('text=Send')
    go()
    expect((await on.arrived(1)).verdict['success']).toBe(true)
    expect(on.calls('challenge')).toHaveLength(1)
  })

  test.each(['button', 'form'])(
    'fields named isConnected and appendChild: sent though the %s is removed',
    async (id) => {
      const fields = '<input type="hidden" name="isConnected"><input type="hidden" name="appendChild">'
      await openHeld(
        (base) => `${formOf(() => `${fields}${container(base)}<button id="button">Send</button>`)(base)}
      <script>document.getElementById('button').addEventListener('click', () => setTimeout(() => document.getElementById('${id}').remove()))</script>`,
      )
      await on.until('idle')
      await press('#button')
      go()
      expect((await on.arrived(1)).verdict['success']).toBe(true)
    },
  )

  test('fields named contains and isConnected: a reset cancels the submit', async () => {
    await openHeld(
      formOf(
        (base) =>
          `<input name="contains"><input name="isConnected">${container(base)}<button>Send</button><button type="reset">Clear</button>`,
      ),
    )
    await on.until('idle')
    await press('text=Send')
    await on.page.getByText('Clear').click()
    go()
    await on.until('verified')
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toHaveLength(0)
  })

  test.each(['', '_top', '_parent', '_SELF', '_Top'])('target="%s": a second press sends nothing', async (target) => {
    on.customer.delayMs = 1000
    await open((base) => form(base).replace('<form', `<form target="${target}"`))
    await on.until('idle')
    await on.fill()
    await on.until('ready')
    await on.press()
    await on.page.waitForTimeout(400)
    await on.page
      .getByText('Send')
      .click({ noWaitAfter: true, timeout: 500 })
      .catch(() => {})
    await on.arrived(1)
    expect(on.calls('solve')).toHaveLength(1)
  })
})

describe('a submit that sends nothing, or is cancelled', () => {
  const dialog =
    (buttons: string, method = 'post'): Html =>
    (base) =>
      `<button id="open" onclick="document.querySelector('dialog').showModal()">Open</button>
    <dialog><form method="${method}" action="/handle">${EMAIL}${container(base)}${buttons}</form></dialog>`

  test.each([
    ['formmethod=dialog', dialog('<button formmethod="dialog">Cancel</button>')],
    ['FORMMETHOD=DIALOG', dialog('<button formmethod="DIALOG">Cancel</button>')],
    ['method=dialog', dialog('<button>Cancel</button>', 'dialog')],
  ])('%s closes the dialog at once and requests nothing, also without a service', async (_how, page) => {
    await on.page.route('**/api/v1/*', (route) => route.abort())
    await open(page)
    await on.page.locator('#open').click()
    await on.page.getByText('Cancel').click()
    expect(await on.page.evaluate(() => document.querySelector('dialog')!.open)).toBe(false)
    expect(on.calls('solve')).toEqual([])
  })

  test.each([
    ['Escape', (): Promise<void> => on.page.keyboard.press('Escape')],
    ['a button that closes the dialog', (): Promise<void> => on.page.getByText('Close').click()],
    ['a reset', (): Promise<void> => on.page.getByText('Clear').click()],
  ])('%s cancels a held submit', async (_what, act) => {
    await openHeld(
      dialog(
        `<button>Send</button><button type="button" onclick="this.closest('dialog').close()">Close</button><button type="reset">Clear</button>`,
      ),
    )
    await on.page.locator('#open').click()
    await press('text=Send')
    await act()
    go()
    await on.page.waitForFunction(() => svcCaptcha.getResponse() !== '')
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toEqual([])
  })

  test('a button with data-svc-captcha-skip is sent at once, without a token', async () => {
    const draft = '<button data-svc-captcha-skip formaction="/draft">Save draft</button>'
    await open((base) => form(base).replace('<button', `${draft}<button`))
    await on.until('idle')
    await on.page.getByText('Save draft').click()
    await on.arrived(1)
    expect(submitted()).toMatchObject({ path: '/draft', tokens: 0 })
    expect(on.calls('solve')).toEqual([])
  })
})

test('a script that loads during the first press does not move the button away', async () => {
  on.customer.script = ''
  await open(
    (base) => `${form(base)}<script>addEventListener('pointerdown', () => {
    const script = document.createElement('script')
    script.src = '${base}/assets/captcha.js?v=1'
    document.head.append(script)
  }, { once: true })</script>`,
  )
  const place = (await on.page.getByText('Send').boundingBox())!
  await on.page.mouse.move(place.x + 5, place.y + 5)
  await on.page.mouse.down()
  await on.page.waitForFunction(() => 'svcCaptcha' in window)
  await on.page.mouse.up()
  expect((await on.arrived(1)).verdict['success']).toBe(true)
})

test('a document that is written again in the same window has its widget', async () => {
  await on.open()
  await on.until('idle')
  await on.page.evaluate((html) => {
    document.open()
    document.write(html)
    document.close()
  }, `<!doctype html><body>${on.customer.script}${on.customer.page}`)
  await on.until('idle')
  await on.fill()
  expect(await on.sent()).toEqual(ACCEPTED)
})

test('a router that replaces the body: a kept box has the theme of the new one', async () => {
  await on.open()
  await on.until('idle')
  await on.page.evaluate(() => {
    const body = document.createElement('body')
    body.style.cssText = 'background:#111;color:#eee'
    body.append(...document.body.childNodes)
    document.body.replaceWith(body)
  })
  await on.page.locator('.svc-captcha .box.dark').waitFor()
  expect(await on.page.locator('svc-captcha-box').count()).toBe(1)
})

test('a prerendered page requests nothing before it is shown', async () => {
  await on.page.addInitScript(() =>
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true }),
  )
  await on.openForm('data-start="load"')
  await on.until('working')
  await on.page.waitForTimeout(500)
  expect(on.calls('challenge')).toEqual([])
  await on.page.evaluate(() => {
    Object.defineProperty(document, 'prerendering', { value: false })
    document.dispatchEvent(new Event('prerenderingchange'))
  })
  await on.until('ready')
  expect(on.calls('challenge')).toHaveLength(1)
})

test('a script that is older than the service says "reload the page", in box and console', async () => {
  await on.page.route('**/api/v1/challenge', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { work: object }
    await route.fulfill({ response, json: { ...body, work: { ...body.work, a: 's32.9' } } })
  })
  await on.open()
  await on.press()
  await on.until('failed')
  expect(await on.status()).toBe('Please reload the page. (105)')
  expect(on.said.join()).toContain('reload the page')
})

describe('what visitors may write into attributes', () => {
  test.each(['eval', 'alert', 'missing'])('data-callback="%s" calls no function of the browser', async (name) => {
    const dialogs: string[] = []
    on.page.on('dialog', (one) => (dialogs.push(one.message()), void one.dismiss()))
    await on.page.addInitScript(() => addEventListener('error', ({ message }) => (document.title = message)))
    await on.openForm(`data-callback="${name}" data-execution="render"`)
    await on.until('verified')
    expect([await on.page.title(), dialogs]).toEqual(['Shop', []])
  })

  test('an answer that is no token is ignored', async () => {
    await on.page.route('**/api/v1/solve', (route) =>
      route.fulfill({
        json: { token: 'document.title = 1', expires_in: 120 },
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    await on.openForm('data-execution="render"')
    await on.until('failed')
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).toBe('')
  })

  test('another origin counts in render()', async () => {
    await open((base) => form(base).replace('svc-captcha', 'mine'))
    const asked = on.page.waitForRequest(/localhost.*challenge/)
    await on.page.evaluate(
      (base) => svcCaptcha.render('.mine', { apiBase: base.replace('127.0.0.1', 'localhost'), start: 'load' }),
      `${on.service.base}/`,
    )
    expect((await asked).method()).toBe('POST')
  })
})

describe('compat.js', () => {
  const PAGE = formOf(
    () =>
      `${EMAIL}<div class="cf-turnstile" data-sitekey="${SITEKEY}" data-action="sign-up"></div><button>Send</button>`,
  )
  function load(query: string, attributes = ''): void {
    on.customer.script = `<script src="${on.service.base}/assets/compat.js${query}" ${attributes} defer></script>`
  }

  test.each(['?v=1', '?as=Turnstile&v=1', '?as=turnstile&v=1'])('with %s uses the page’s markup', async (query) => {
    load(query)
    await open(PAGE)
    await on.until('verified')
    expect(on.requests.filter((one) => one.url().includes('/assets/'))).toHaveLength(1)
  })

  test('on a page without such markup says what its address lacks', async () => {
    load('?v=1')
    await open(() => '<p>Nothing</p>')
    expect(on.said.join()).toContain('compat.js wants as=turnstile')
  })

  test('works under an Integrity-Policy, by the hash on its own tag', async () => {
    const code = await (await fetch(`${on.service.base}/assets/compat.js?as=turnstile&v=1`)).text()
    const hash = `sha384-${createHash('sha384').update(code).digest('base64')}`
    load('?as=turnstile&v=1', `integrity="${hash}" crossorigin="anonymous"`)
    on.customer.headers = { 'integrity-policy': 'blocked-destinations=(script)' }
    await open(PAGE)
    await on.until('verified')
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).not.toBe('')
  })
})

test('a library that looks for focusable elements finds the box, and the focus goes into it', async () => {
  await on.open()
  await on.until('idle')
  const role = await on.page.evaluate(() => {
    const host = document.querySelector<HTMLElement>('form [tabindex]')!
    host.focus()
    return host.shadowRoot!.activeElement?.getAttribute('role')
  })
  expect(role).toBe('checkbox')
})

test('an address with a thousand fragments costs no time', async () => {
  await on.open()
  await on.until('idle')
  const ms = await on.page.evaluate((base) => {
    history.replaceState(null, '', `#${'#hv='.repeat(200_000)}!`)
    const started = performance.now()
    svcCaptcha.render(document.body.appendChild(document.createElement('div')), { sitekey: 'k', apiBase: base })
    return performance.now() - started
  }, `${on.service.base}/`)
  expect(ms).toBeLessThan(1000)
})

test('a browser that blocks requests of a public page to the local network is named in the console', async () => {
  await on.page.addInitScript(() => {
    navigator.permissions.query = async ({ name }: { name: string }) =>
      ({ state: name === 'local-network-access' ? 'denied' : 'prompt' }) as PermissionStatus
  })
  await on.page.route('**/api/v1/*', (route) => route.abort())
  await on.openForm('data-start="load" data-retry="never"')
  await on.until('failed')
  expect(on.said.join()).toContain('svc-captcha: 200 Local Network Access denied')
})

test('an agent that adds tracing headers to every fetch does not stop a visit', async () => {
  on.customer.script = `<script>
    const { fetch } = window
    window.fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, traceparent: '00-0-0-01', baggage: 'a=b' } })
  </script>${on.customer.script}`
  await on.open()
  await on.fill()
  expect(await on.sent()).toEqual(ACCEPTED)
})
