/** Pages as they are in the field: docs/widget/works-under.md has the same situations. Each ends with what a visitor of that page must get. */
import { describe, expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { UNSURE } from '../support/unsure.ts'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium()

async function open(page: (base: string) => string, change: Parameters<typeof begin>[0] = {}): Promise<void> {
  await begin(change)
  on.customer.page = page(on.service.base)
  await on.open()
}
/** The same; the challenge of such a page is answered when the test calls `go`: until then a submit is held. */
async function openHeld(page: (base: string) => string): Promise<void> {
  await begin()
  const held = new Promise<void>((resolve) => (go = resolve))
  await on.page.route('**/api/v1/challenge', (route) => held.then(() => route.continue()))
  on.customer.page = page(on.service.base)
  await on.open()
}
let go: () => void
/** Presses a button, and lets the page do whatever it does then. */
async function press(selector: string): Promise<void> {
  await on.page.locator(selector).click({ noWaitAfter: true })
  await on.page.waitForTimeout(100)
}
const tokens = (index = 0): string[] =>
  on.customer.submissions[index]!.fields.filter(([name]) => name === 'svc-response').map(([, value]) => value)
const fieldsOf = (index = 0): Record<string, string> => {
  const { 'svc-response': _, ...fields } = Object.fromEntries(on.customer.submissions[index]!.fields)
  return fields
}
const boxSize = (): Promise<number[]> =>
  on.page
    .locator('svc-captcha-box .box')
    .first()
    .evaluate((box) => [box.getBoundingClientRect().width, box.getBoundingClientRect().height])

describe('a form that changes while its submit is held arrives as it was at the press, when', () => {
  const page = (reaction: string) => (base: string) =>
    `<form id="form" method="post" action="/handle"><input name="email" aria-label="Email" value="a@example.com">
    ${container(base)}<fieldset><button id="send" name="register" value="Register" formaction="/register">Send</button></fieldset></form>
    <script>const form = document.getElementById('form'), button = document.getElementById('send'); ${reaction}</script>`
  const later = (change: string): string => `button.addEventListener('click', () => setTimeout(() => { ${change} }))`

  test.each([
    ['nothing changes', ''],
    ['the button is disabled', later('button.disabled = true')],
    ['the fieldset is disabled', later("document.querySelector('fieldset').disabled = true")],
    ['the button is replaced by its twin', later('button.replaceWith(button.cloneNode(true))')],
    ['the button is taken away', later('button.remove()')],
    ['the value of the button is changed', later("button.value = 'busy'")],
    ['the field is emptied', later("form.elements.email.value = ''")],
    ['the field is emptied and required', later("form.elements.email.required = true; form.elements.email.value = ''")],
    ['the form is taken away', later('form.remove()')],
    ['the form moves to another page of the address', later("button.formAction = '/other'; form.action = '/other'")],
    ['the form opens another window', later("form.target = '_blank'; form.method = 'get'")],
  ])('%s', async (_when, reaction) => {
    await openHeld(page(reaction))
    await on.until('idle')
    await press('#send')
    go()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.path).toBe('/register')
    expect(fieldsOf()).toEqual({ email: 'a@example.com', register: 'Register' })
    expect(tokens()).toHaveLength(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })
})

describe('a container that leaves the document for seconds and comes back has a widget again', () => {
  const panel = (inner: string): string =>
    `<div id="place"><form id="form" method="post" action="/handle"><input name="email" aria-label="Email">${inner}<button>Send</button></form></div>`
  test.each([
    ['by class', (base: string) => panel(container(base)), ''],
    [
      'by its element',
      (base: string) =>
        panel(`<human-verification sitekey="${SITEKEY}" action="sign-up" api-base="${base}/"></human-verification>`),
      '',
    ],
    ['by render()', () => panel('<div id="mine"></div>'), 'render'],
  ])('%s', async (_how, page, how) => {
    await open(page)
    if (how)
      await on.page.evaluate(
        ([base, sitekey]) => svcCaptcha.render('#mine', { sitekey, action: 'sign-up', apiBase: `${base!}/` }),
        [on.service.base, SITEKEY] as const,
      )
    await on.page.locator('svc-captcha-box .box').waitFor()
    await on.page.evaluate(async () => {
      const whole = document.getElementById('form')!
      whole.remove()
      await new Promise((resolve) => setTimeout(resolve, 2000))
      document.getElementById('place')!.append(whole)
    })
    await on.page.locator('svc-captcha-box .box').waitFor()
    await on.page.getByLabel('Email').fill('a@example.com')
    expect(await on.sent()).toEqual(ACCEPTED)
  })
})

describe('a theme hides', () => {
  test.each([
    ['what is empty', 'div:empty { display: none }'],
    ['every div of a form', 'form div div, form > div > * { display: none; opacity: 0; visibility: hidden }'],
    ['and floats', 'form * { float: right; position: absolute; height: 0; overflow: hidden }'],
  ])('%s, and the box is seen', async (_what, css) => {
    await open((base) => `<style>${css}</style>${form(base)}`)
    await on.until('idle')
    const [width, height] = await boxSize()
    expect(width).toBeGreaterThan(100)
    expect(height).toBeGreaterThan(40)
  })

  test('what is empty, and the step of a second try can be pressed', async () => {
    await open((base) => `<style>div:empty, form > div > div { display: none }</style>${form(base)}`, {
      stepUp: 'managed',
      weights: UNSURE,
      scoreThreshold: 0.5,
    } as never)
    await on.page.getByText('Send').click()
    await on.page.locator('.svc-captcha .retry:not([aria-disabled=true])').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })
})

describe('a form that is not around its fields or its box', () => {
  test.each([
    [
      'begins inside a table',
      (base: string) =>
        `<table><form id="form" method="post" action="/handle"><tr><td><input name="email" aria-label="Email"></td></tr><tr><td>${container(base)}<button>Send</button></td></tr></form></table>`,
    ],
    [
      'is named by the element',
      (base: string) =>
        `<form id="form" method="post" action="/handle"><input name="email" aria-label="Email"><button>Send</button></form><human-verification form="form" sitekey="${SITEKEY}" action="sign-up" api-base="${base}/"></human-verification>`,
    ],
    [
      'is named by the container',
      (base: string) =>
        `<form id="form" method="post" action="/handle"><input name="email" aria-label="Email"><button>Send</button></form>${container(base, 'data-form="form"')}`,
    ],
    [
      'owns its fields by their attribute',
      (base: string) =>
        `<form id="form" method="post" action="/handle">${container(base)}</form><input form="form" name="email" aria-label="Email"><button form="form">Send</button>`,
    ],
  ])('that %s goes with a token, and its touch begins the work', async (_how, page) => {
    await open(page)
    await on.page.locator('svc-captcha-box .box').waitFor()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.locator('svc-captcha-box .box.ready').waitFor({ state: 'attached' })
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('and is named nowhere is told of in the console', async () => {
    await open((base) => `<form method="post" action="/handle"><button>Send</button></form>${container(base)}`)
    await on.page.locator('svc-captcha-box .box').waitFor()
    await on.page.evaluate(() => document.forms[0]!.setAttribute('target', 'elsewhere'))
    await on.page.getByText('Send').click({ noWaitAfter: true })
    await on.received(1)
    expect(on.said.join()).toContain('svc-captcha: 109')
  })
})

describe('a form with one name twice sends one token, and the console says so:', () => {
  const page = (more: (base: string) => string) => (base: string) =>
    `<form method="post" action="/handle"><input name="email" aria-label="Email">${container(base)}${more(base)}<button>Send</button></form>`
  test.each([
    ['two boxes', (base: string) => container(base)],
    [
      'a box and the element',
      (base: string) =>
        `<human-verification sitekey="${SITEKEY}" action="sign-up" api-base="${base}/"></human-verification>`,
    ],
    ['a field of the page', () => '<input type="hidden" name="svc-response" value="old">'],
  ])('%s', async (_what, more) => {
    await open(page(more))
    await on.until('idle')
    await on.page.getByLabel('Email').fill('a@example.com')
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.calls('solve')).toHaveLength(1)
    expect(on.said.join()).toContain('svc-captcha: 108')
  })
})

describe('members that a name hides, and targets that mean this window', () => {
  test.each([
    'target',
    'requestSubmit',
    'contains',
    'elements',
    'method',
    'action',
    'matches',
    'noValidate',
    'closest',
  ])('a field named %s: sent once by two presses, with a token', async (name) => {
    await openHeld(
      (base) =>
        `<form method="post" action="/handle"><input name="${name}" aria-label="Email">${container(base)}<button>Send</button></form>`,
    )
    await on.until('idle')
    await on.page.getByLabel('Email').fill('x')
    await press('text=Send')
    await press('text=Send')
    go()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    expect(on.calls('challenge')).toHaveLength(1)
  })

  test.each(['button', 'form'])(
    'fields named isConnected and appendChild: sent though the page takes the %s away',
    async (id) => {
      const fields = '<input type="hidden" name="isConnected"><input type="hidden" name="appendChild">'
      await openHeld(
        (
          base,
        ) => `<form id="form" method="post" action="/handle">${fields}${container(base)}<button id="button">Send</button></form>
        <script>document.getElementById('button').addEventListener('click', () => setTimeout(() => document.getElementById('${id}').remove()))</script>`,
      )
      await on.until('idle')
      await press('#button')
      go()
      await on.arrived(1)
      expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    },
  )

  test('fields named contains and isConnected: a reset takes the submit back', async () => {
    await openHeld(
      (base) => `<form id="form" method="post" action="/handle"><input name="contains"><input name="isConnected">
        ${container(base)}<button>Send</button><button type="reset">Clear</button></form>`,
    )
    await on.until('idle')
    await press('text=Send')
    await on.page.getByText('Clear').click()
    go()
    await on.until('verified')
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toHaveLength(0)
  })

  test.each(['_top', '_parent', '_SELF', '_Top'])(
    'target="%s" is this window: a second press sends nothing',
    async (target) => {
      await open((base) => form(base).replace('<form', `<form target="${target}"`))
      on.customer.delayMs = 1500
      await on.until('idle')
      await on.page.getByLabel('Email').fill('x')
      await on.until('ready')
      await on.page.getByText('Send').click({ noWaitAfter: true })
      await on.page.waitForTimeout(700)
      await on.page
        .getByText('Send')
        .click({ noWaitAfter: true, timeout: 1000 })
        .catch(() => {})
      await on.arrived(1)
      expect(on.calls('solve')).toHaveLength(1)
    },
  )
})

describe('a submit that sends nothing, or is taken back', () => {
  const dialog =
    (buttons: string, method = 'post') =>
    (base: string) =>
      `<button id="open" onclick="document.querySelector('dialog').showModal()">Open</button>
    <dialog><form method="${method}" action="/handle"><input name="email" aria-label="Email">${container(base)}${buttons}</form></dialog>`
  const isOpen = (): Promise<boolean> => on.page.evaluate(() => document.querySelector('dialog')!.open)

  test.each([
    ['formmethod=dialog', dialog('<button formmethod="dialog">Cancel</button>')],
    ['FORMMETHOD=DIALOG', dialog('<button formmethod="DIALOG">Cancel</button>')],
    ['method=dialog', dialog('<button>Cancel</button>', 'dialog')],
  ])('%s closes the dialog at once and asks for nothing, also without a service', async (_how, page) => {
    await open(page)
    await on.page.route('**/api/v1/*', (route) => route.abort())
    await on.page.locator('#open').click()
    await on.page.getByText('Cancel').click()
    expect(await isOpen()).toBe(false)
    expect(on.calls('solve')).toEqual([])
  })

  test.each([
    ['Escape', (): Promise<void> => on.page.keyboard.press('Escape')],
    ['a button that closes the dialog', (): Promise<void> => on.page.getByText('Close').click()],
    ['a reset', (): Promise<void> => on.page.getByText('Clear').click()],
  ])('%s takes a held submit back', async (_what, act) => {
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
    await open((base) =>
      form(base).replace('<button', '<button data-svc-captcha-skip formaction="/draft">Save draft</button><button'),
    )
    await on.until('idle')
    await on.page.getByText('Save draft').click()
    await on.arrived(1)
    expect([on.customer.submissions[0]!.path, tokens()]).toEqual(['/draft', []])
    expect(on.calls('solve')).toEqual([])
  })
})

test('a script that comes in the middle of the first press does not move the button away', async () => {
  await begin()
  on.customer.script = ''
  on.customer.page = `${form(on.service.base)}<script>addEventListener('pointerdown', () => {
    const script = document.createElement('script')
    script.src = '${on.service.base}/assets/captcha.js?v=1'
    document.head.append(script)
  }, { once: true })</script>`
  await on.open()
  const place = (await on.page.getByText('Send').boundingBox())!
  await on.page.mouse.move(place.x + 5, place.y + 5)
  await on.page.mouse.down()
  await on.page.waitForFunction(() => 'svcCaptcha' in window)
  await on.page.mouse.up()
  await on.arrived(1)
  expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
})

test('a document that is written anew in the same window has its widget', async () => {
  await open(form)
  await on.until('idle')
  await on.page.evaluate((html) => {
    document.open()
    document.write(html)
    document.close()
  }, `<!doctype html><body>${on.customer.script}${on.customer.page}`)
  await on.until('idle')
  await on.page.getByLabel('Email').fill('a@example.com')
  expect(await on.sent()).toEqual(ACCEPTED)
})

test('a router that puts another body in place of the old one: a kept box takes the theme of the new one', async () => {
  await open(form)
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

test('a page that is prerendered asks for nothing before it is shown', async () => {
  await begin()
  await on.page.addInitScript(() =>
    Object.defineProperty(document, 'prerendering', { value: true, configurable: true }),
  )
  on.customer.page = form(on.service.base, 'data-start="load"')
  await on.open()
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
  await begin()
  await on.page.route('**/api/v1/challenge', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { work: object }
    await route.fulfill({ response, json: { ...body, work: { ...body.work, a: 's32.9' } } })
  })
  await on.open()
  await on.page.getByText('Send').click()
  await on.until('failed')
  expect(await on.status()).toBe('Please reload the page. (105)')
  expect(on.said.join()).toContain('reload the page')
})

describe('what visitors may write into attributes', () => {
  test.each(['eval', 'alert', 'missing'])('data-callback="%s" calls nothing of the browser', async (name) => {
    await begin()
    await on.page.addInitScript(() => {
      window.alert = window.alert.bind(undefined)
    })
    on.customer.page = form(on.service.base, `data-callback="${name}" data-execution="render"`)
    let isAlerted = false
    on.page.on('dialog', (one) => ((isAlerted = true), void one.dismiss()))
    await on.page.addInitScript(() => addEventListener('error', ({ message }) => (document.title = message)))
    await on.open()
    await on.until('verified')
    expect([await on.page.title(), name === 'alert' ? false : isAlerted]).toEqual(['Shop', false])
  })

  test('an answer that is no token is none', async () => {
    await begin()
    await on.page.route('**/api/v1/solve', (route) =>
      route.fulfill({
        json: { token: 'document.title = 1', expires_in: 120 },
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    on.customer.page = form(on.service.base, 'data-execution="render"')
    await on.open()
    await on.until('failed')
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).toBe('')
  })

  test('another origin of render() counts', async () => {
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
  const page = (base: string): string =>
    `<form method="post" action="/handle"><input name="email" aria-label="Email"><div class="cf-turnstile" data-sitekey="${SITEKEY}" data-action="sign-up"></div><button>Send</button></form><!-- ${base} -->`
  async function start(query: string, attributes = ''): Promise<void> {
    await begin()
    on.customer.page = page(on.service.base)
    on.customer.script = `<script src="${on.service.base}/assets/compat.js${query}" ${attributes} defer></script>`
  }

  test.each(['?v=1', '?as=Turnstile&v=1', '?as=turnstile&v=1'])('with %s goes by the page’s markup', async (query) => {
    await start(query)
    await on.open()
    await on.page.locator('.cf-turnstile .box.verified').waitFor({ state: 'attached' })
    expect(on.requests.filter((one) => one.url().includes('/assets/'))).toHaveLength(1)
  })

  test('on a page of no such service says what its address lacks', async () => {
    await start('?v=1')
    on.customer.page = '<p>Nothing</p>'
    await on.open()
    expect(on.said.join()).toContain('compat.js wants as=turnstile')
  })

  test('works under an Integrity-Policy, by the hash on its own tag', async () => {
    await start('?as=turnstile&v=1')
    const { createHash } = await import('node:crypto')
    const code = await (await fetch(`${on.service.base}/assets/compat.js?as=turnstile&v=1`)).text()
    const hash = `sha384-${createHash('sha384').update(code).digest('base64')}`
    on.customer.script = on.customer.script.replace('defer', `integrity="${hash}" crossorigin="anonymous" defer`)
    on.customer.headers = { 'integrity-policy': 'blocked-destinations=(script)' }
    await on.open()
    await on.page.locator('.cf-turnstile .box.verified').waitFor({ state: 'attached' })
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).not.toBe('')
  })
})

test('a library that looks for focusable elements finds the box, and the focus goes into it', async () => {
  await open(form)
  await on.until('idle')
  const role = await on.page.evaluate(() => {
    const host = document.querySelector<HTMLElement>('form [tabindex]')!
    host.focus()
    return host.shadowRoot!.activeElement?.getAttribute('role')
  })
  expect(role).toBe('checkbox')
})

test('an address with a thousand fragments costs no time', async () => {
  await open(form)
  await on.until('idle')
  const ms = await on.page.evaluate((base) => {
    history.replaceState(null, '', `#${'#hv='.repeat(200_000)}!`)
    const started = performance.now()
    svcCaptcha.render(document.body.appendChild(document.createElement('div')), { sitekey: 'k', apiBase: base })
    return performance.now() - started
  }, `${on.service.base}/`)
  expect(ms).toBeLessThan(1000)
})

test('a browser that keeps a public page from the local network is named in the console', async () => {
  await begin()
  await on.page.addInitScript(() => {
    navigator.permissions.query = async ({ name }: { name: string }) =>
      ({ state: name === 'local-network-access' ? 'denied' : 'prompt' }) as PermissionStatus
  })
  await on.page.route('**/api/v1/*', (route) => route.abort())
  on.customer.page = form(on.service.base, 'data-start="load" data-retry="never"')
  await on.open()
  await on.until('failed')
  expect(on.said.join()).toContain('svc-captcha: 200 Local Network Access denied')
})

test('an agent that adds tracing headers to every fetch does not stop a visit', async () => {
  await begin()
  on.customer.script = `<script>
    const { fetch } = window
    window.fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, traceparent: '00-0-0-01', baggage: 'a=b' } })
  </script>${on.customer.script}`
  await on.open()
  await on.page.getByLabel('Email').fill('a@example.com')
  expect(await on.sent()).toEqual(ACCEPTED)
})
