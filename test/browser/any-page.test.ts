/** Pages as they are in the field, as in docs/widget/works-under.md. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { ACCEPTED, begin, form, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const EMAIL = '<input name="email" aria-label="Email">'
const SEND = '<button>Send</button>'
const CONTAINER = container('SERVICE')
const FORM = form('SERVICE')
const formOf = (inner: string): string =>
  `<form id="form" method="post" action="/handle">${inner}</form>`
const element = (attributes = ''): string =>
  `<human-verification ${attributes} sitekey="${SITEKEY}" action="sign-up" api-base="SERVICE/"></human-verification>`

/** Opens a page whose challenge is answered when the test calls `go`: until then a submit is held. */
async function openHeld(page: string): Promise<void> {
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  await on.page.route('**/api/v1/challenge', (route) => held.then(() => route.continue()))
  await on.open(page)
}
let go: () => void
async function press(selector: string): Promise<void> {
  await on.page.locator(selector).click({ noWaitAfter: true })
  await on.page.waitForTimeout(100)
}
const submitted = () => {
  const { fields, path, verdict } = on.customer.submissions[0]!
  const { 'svc-response': _, ...others } = Object.fromEntries(fields)
  return {
    path,
    success: verdict['success'],
    fields: others,
    tokens: fields.length - Object.keys(others).length,
  }
}

/** Fields that hide a member of the form, or of its nodes. */
const hiding = (names: string): string =>
  names.replaceAll(/\w+/g, (name) => `<input type="hidden" name="${name}" value="${name}">`)

const REGISTER =
  '<button id="send" name="register" value="Register" formaction="/register">Send</button>'
const REGISTERING = formOf(
  `<input name="email" value="a@example.com">${hiding('isConnected appendChild')}${CONTAINER}<fieldset>${REGISTER}</fieldset>`,
)

test.each([
  ['nothing changes', ''],
  ['the button is disabled', 'button.disabled = true'],
  ['the fieldset is disabled', "document.querySelector('fieldset').disabled = true"],
  ['the button is replaced by a copy', 'button.replaceWith(button.cloneNode(true))'],
  ['the button is removed', 'button.remove()'],
  ['the value of the button is changed', "button.value = 'busy'"],
  ['the field is cleared', "form.elements.email.value = ''"],
  [
    'the field is cleared and required',
    "form.elements.email.required = true; form.elements.email.value = ''",
  ],
  ['the form is reset by the page', 'form.reset()'],
  ['the form is removed', 'form.remove()'],
  ['the address of the form is changed', "button.formAction = '/other'; form.action = '/other'"],
  ['the form opens another window', "form.target = '_blank'; form.method = 'get'"],
])(
  'a form that changes while its submit is held arrives as it was at the press, when %s',
  async (_when, change) => {
    await openHeld(`${REGISTERING}<script>
    const form = document.getElementById('form'), button = document.getElementById('send')
    button.addEventListener('click', () => setTimeout(() => { ${change} }))</script>`)
    await press('#send')
    go()
    await on.arrived(1)
    const hidden = { isConnected: 'isConnected', appendChild: 'appendChild' }
    const fields = { email: 'a@example.com', ...hidden, register: 'Register' }
    expect(submitted()).toEqual({ path: '/register', fields, tokens: 1, success: true })
  },
)

test.each([
  ['by class', 2000, CONTAINER],
  ['by class', 0, CONTAINER],
  ['by its element', 2000, element()],
  ['by render()', 2000, '<div id="mine"></div>'],
])(
  'a container that leaves the document and comes back has one widget again, %s, after %i ms',
  async (how, ms, inner) => {
    await on.open(`<div id="place">${formOf(EMAIL + inner + SEND)}</div>`)
    if (how === 'by render()')
      await on.page.evaluate(
        ([base, sitekey]) =>
          svcCaptcha.render('#mine', { sitekey, action: 'sign-up', apiBase: `${base!}/` }),
        [on.service.base, SITEKEY] as const,
      )
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
  },
)

test.each([
  ['what is empty', 'div:empty { display: none }'],
  [
    'every div of a form',
    'form div div, form > div > * { display: none; opacity: 0; visibility: hidden }',
  ],
  ['and floats', 'form * { float: right; position: absolute; height: 0; overflow: hidden }'],
])('a theme hides %s, and the box is visible', async (_what, css) => {
  await on.open(`<style>${css}</style>${FORM}`)
  const { width, height } = (await on.page.locator('svc-captcha-box .box').boundingBox())!
  expect(width).toBeGreaterThan(100)
  expect(height).toBeGreaterThan(40)
})

test.each(['flex; flex-direction: column', 'grid'])(
  'an invisible box takes no gap in a form that is displayed as %s, until it has something to say',
  async (display) => {
    const invisible = CONTAINER.replace('data-', 'data-size="invisible" data-')
    const page = (box: string): string =>
      `<style>form { display: ${display}; gap: 16px }</style>${formOf(EMAIL + box + SEND)}`
    const layout = (): Promise<object> =>
      on.page.evaluate(() =>
        ['form', '[name=email]', 'form > button'].map((one) =>
          document.querySelector(one)!.getBoundingClientRect().toJSON(),
        ),
      )
    await on.open(page(''))
    const without = await layout()
    await on.open(page(invisible))
    await on.until('idle')
    expect(await layout()).toEqual(without)
    await on.page.evaluate(() => svcCaptcha.refused())
    await on.until('failed')
    expect(await layout()).not.toEqual(without)
  },
)

test('the contents of a container with an invisible box stay in the layout', async () => {
  const invisible = CONTAINER.replace('data-', 'data-size="invisible" data-')
  await on.open(formOf(invisible.replace('></div>', `>${EMAIL}</div>`) + SEND))
  await on.until('idle')
  const position = await on.page
    .locator('.svc-captcha')
    .evaluate((node) => getComputedStyle(node).position)
  expect(position).toBe('static')
})

describe('hidden fields of the page in the container of the box stay', () => {
  const HIDDEN = hiding('csrf_token captcha_sid')
  const ON_THE_FORM = formOf(EMAIL + HIDDEN + SEND).replace(
    '<form',
    CONTAINER.replace('<div class="', '<form class="shop ').replace('></div>', ''),
  )
  test.each([
    ['a wrapper', formOf(EMAIL + CONTAINER.replace('></div>', `>${HIDDEN}</div>`) + SEND)],
    ['the form', ON_THE_FORM],
  ])('where the class is on %s, also when the box is mounted again', async (_where, page) => {
    await on.open(page)
    await on.until('idle')
    for (const cdata of ['order-1', 'order-2']) {
      await on.page.evaluate((text) => {
        document.querySelector<HTMLElement>('.svc-captcha')!.dataset['cdata'] = text
      }, cdata)
      await on.until('idle')
    }
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
    const fields = { email: 'a@example.com', csrf_token: 'csrf_token', captcha_sid: 'captcha_sid' }
    expect(submitted()).toMatchObject({ fields, tokens: 1 })
  })
})

describe('a form that is not around its fields or its box', () => {
  const ROWS = `<tr><td>${EMAIL}</td></tr><tr><td>${CONTAINER}${SEND}</td></tr>`
  test.each([
    [
      'begins inside a table',
      `<table><form id="form" method="post" action="/handle">${ROWS}</form></table>`,
    ],
    ['is named by the element', formOf(EMAIL + SEND) + element('form="form"')],
    ['is named by the container', formOf(EMAIL + SEND) + container('SERVICE', 'data-form="form"')],
    [
      'owns its fields by their attribute',
      formOf(CONTAINER) + (EMAIL + SEND).replaceAll(/<(\w+)/g, '<$1 form="form"'),
    ],
  ])('that %s goes with a token, and its touch starts the work', async (_how, page) => {
    await on.open(page)
    await on.prepare()
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('and is named nowhere is reported in the console', async () => {
    await on.open(formOf(SEND).replace('>', ' target="elsewhere">') + CONTAINER)
    await on.press()
    await on.received(1)
    expect(on.said.join()).toContain('svc-captcha: 109')
  })
})

test.each([
  ['two boxes', CONTAINER],
  ['a box and the element', element()],
  ['a field of the page', '<input type="hidden" name="svc-response" value="old">'],
])(
  'a form with one name twice sends one token, and the console says so: %s',
  async (_what, more) => {
    await on.open(formOf(EMAIL + CONTAINER + more + SEND))
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.calls('solve')).toHaveLength(1)
    expect(on.said.join()).toContain('svc-captcha: 108')
  },
)

describe('members that a name hides, and targets that mean this window', () => {
  const NAMES = 'target requestSubmit contains elements method action matches noValidate closest'
  test.each(NAMES.split(' '))(
    'a field named %s: sent once by two presses, with a token',
    async (name) => {
      await openHeld(formOf(EMAIL.replace('email', name) + CONTAINER + SEND))
      await on.fill()
      await press('text=Send')
      await press('text=Send')
      go()
      expect((await on.arrived(1)).verdict['success']).toBe(true)
      expect(on.calls('challenge')).toHaveLength(1)
    },
  )

  test.each([
    '<form target=""',
    '<form target="_top"',
    '<form target="_parent"',
    '<form target="_SELF"',
    '<base target="_Top"><form',
  ])('%s: a second press sends nothing', async (tag) => {
    on.customer.delayMs = 1000
    await on.open(FORM.replace('<form', tag))
    await on.prepare()
    await on.press()
    await on.page.waitForTimeout(400)
    const second = on.page.getByText('Send').click({ noWaitAfter: true, timeout: 500 })
    await second.catch(() => {})
    await on.arrived(1)
    expect(on.calls('solve')).toHaveLength(1)
  })
})

describe('a submit that sends nothing, or is cancelled', () => {
  const dialog = (buttons: string, method = 'post'): string =>
    `<button id="open" onclick="document.querySelector('dialog').showModal()">Open</button>
    <dialog><form method="${method}" action="/handle">${EMAIL}${hiding('contains isConnected')}${CONTAINER}${buttons}</form></dialog>`

  test.each([
    ['formmethod=dialog', dialog('<button formmethod="dialog">Cancel</button>')],
    ['FORMMETHOD=DIALOG', dialog('<button formmethod="DIALOG">Cancel</button>')],
    ['method=dialog', dialog('<button>Cancel</button>', 'dialog')],
  ])(
    '%s closes the dialog at once and requests nothing, also without a service',
    async (_how, page) => {
      await on.page.route('**/api/v1/*', (route) => route.abort())
      await on.open(page)
      await on.page.locator('#open').click()
      await on.page.getByText('Cancel').click()
      expect(await on.page.evaluate(() => document.querySelector('dialog')!.open)).toBe(false)
      expect(on.calls('solve')).toEqual([])
    },
  )

  test.each([
    ['Escape', (): Promise<void> => on.page.keyboard.press('Escape')],
    ['a button that closes the dialog', (): Promise<void> => on.page.getByText('Close').click()],
    ['a reset', (): Promise<void> => on.page.getByText('Clear').click()],
  ])('%s cancels a held submit', async (_what, act) => {
    const close = `<button type="button" onclick="this.closest('dialog').close()">Close</button>`
    await openHeld(dialog(`${SEND}${close}<button type="reset">Clear</button>`))
    await on.page.locator('#open').click()
    await press('text=Send')
    await act()
    go()
    await on.page.waitForFunction(() => svcCaptcha.getResponse() !== '')
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toEqual([])
  })

  describe('an event that a script dispatches', () => {
    const REQUIRED = formOf('<input name="email" aria-label="Email" required>' + CONTAINER + SEND)
    const dispatch = (): Promise<boolean> =>
      on.page.evaluate(() =>
        document
          .querySelector('form')!
          .dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })),
      )

    test.each([
      ['empty', async () => {}],
      ['filled in', () => on.fill()],
    ])('sends nothing of a form that is %s, as the browser', async (_how, fill) => {
      await openHeld(REQUIRED)
      await fill()
      await dispatch()
      go()
      await on.page.waitForFunction(() => svcCaptcha.getResponse() !== '')
      await on.page.waitForTimeout(300)
      expect(on.customer.submissions).toEqual([])
      await on.fill()
      expect(await on.sent()).toEqual(ACCEPTED)
    })

    test('reaches the listener of the page once, when the token is there', async () => {
      await openHeld(`${REQUIRED}<script>document.querySelector('form').onsubmit = (event) => {
        event.preventDefault()
        fetch('/ajax', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) })
      }</script>`)
      await dispatch()
      go()
      await on.received(1)
      expect(submitted()).toEqual({
        path: '/ajax',
        fields: { email: '' },
        tokens: 1,
        success: true,
      })
    })
  })

  test('a link cancels a held submit, also while its page has not come', async () => {
    const slow = await on.serve(
      (_req, res) => void setTimeout(() => res.end('<h1>elsewhere</h1>'), 2500),
    )
    await openHeld(`${formOf(EMAIL + CONTAINER + SEND)}<a href="${slow}">Not now</a>`)
    await press('text=Send')
    await press('text=Not now')
    go()
    await on.answered('solve', 1)
    await on.page.waitForURL(slow)
    expect(on.customer.submissions).toEqual([])
  })

  test('a button with data-svc-captcha-skip sends immediately, without a token', async () => {
    await on.open(
      formOf(`${CONTAINER}<button data-svc-captcha-skip formaction="/draft">Save draft</button>`),
    )
    await on.page.getByText('Save draft').click()
    await on.arrived(1)
    expect(submitted()).toMatchObject({ path: '/draft', tokens: 0 })
    expect(on.calls('solve')).toEqual([])
  })
})

test('a form with method="get" has its token in the address', async () => {
  await on.open(FORM.replace('post', 'get'))
  await on.press()
  await on.page.waitForURL(/svc-response=/)
  expect(await on.verified(new URL(on.page.url()).searchParams.get('svc-response')!)).toBe(true)
})

test('a script that loads during the first press does not move the button away', async () => {
  on.customer.script = ''
  await on.open(`${FORM}<script>addEventListener('pointerdown', () => {
    const script = document.createElement('script')
    script.src = 'SERVICE/assets/captcha.js?v=1'
    document.head.append(script)
  }, { once: true })</script>`)
  const place = (await on.page.getByText('Send').boundingBox())!
  await on.page.mouse.move(place.x + 5, place.y + 5)
  await on.page.mouse.down()
  await on.page.waitForFunction(() => 'svcCaptcha' in window)
  await on.page.mouse.up()
  expect((await on.arrived(1)).verdict['success']).toBe(true)
})

test('a document that is written again in the same window has its widget', async () => {
  await on.open()
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

test('a script that is older than the service shows "reload the page", in box and console', async () => {
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
  test.each(['eval', 'alert', 'missing'])(
    'data-callback="%s" calls no function of the browser',
    async (name) => {
      const dialogs: string[] = []
      on.page.on('dialog', (one) => {
        dialogs.push(one.message())
        void one.dismiss()
      })
      await on.page.addInitScript(() =>
        addEventListener('error', ({ message }) => {
          document.title = message
        }),
      )
      await on.openForm(`data-callback="${name}" data-execution="render"`)
      await on.until('verified')
      expect([await on.page.title(), dialogs]).toEqual(['Shop', []])
    },
  )

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
    await on.open(FORM.replace('svc-captcha', 'mine'))
    const asked = on.page.waitForRequest(/localhost.*challenge/)
    await on.page.evaluate(
      (base) =>
        svcCaptcha.render('.mine', {
          apiBase: base.replace('127.0.0.1', 'localhost'),
          start: 'load',
        }),
      `${on.service.base}/`,
    )
    expect((await asked).method()).toBe('POST')
  })
})

describe('compat.js', () => {
  const PAGE = formOf(
    `<div class="cf-turnstile" data-sitekey="${SITEKEY}" data-action="sign-up"></div>`,
  )
  function load(query: string, attributes = ''): void {
    on.customer.script = `<script src="${on.service.base}/assets/compat.js${query}" ${attributes} defer></script>`
  }

  test.each(['?v=1', '?as=Turnstile&v=1', '?as=turnstile&v=1'])(
    'with %s uses the page’s markup',
    async (query) => {
      load(query)
      await on.open(PAGE)
      await on.until('verified')
      expect(on.requests.filter((one) => one.url().includes('/assets/'))).toHaveLength(1)
    },
  )

  test('on a page without such markup logs what its address lacks', async () => {
    load('?v=1')
    await on.open('<p>Nothing</p>')
    expect(on.said.join()).toContain('compat.js needs as=turnstile')
  })

  test('works under an Integrity-Policy, by the hash on its own tag', async () => {
    const code = await (await fetch(`${on.service.base}/assets/compat.js?as=turnstile&v=1`)).text()
    const hash = `sha384-${createHash('sha384').update(code).digest('base64')}`
    load('?as=turnstile&v=1', `integrity="${hash}" crossorigin="anonymous"`)
    on.customer.headers = { 'integrity-policy': 'blocked-destinations=(script)' }
    await on.open(PAGE)
    await on.until('verified')
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).not.toBe('')
  })
})

test('a library that looks for focusable elements finds the box after a press, and the focus goes into it', async () => {
  await on.open()
  await on.page.route('**/api/v1/*', (route) => route.abort())
  await on.press()
  await on.until('failed')
  const role = await on.page.evaluate(() => {
    const place = document.querySelector<HTMLElement>('form [tabindex]')!
    place.focus()
    return place.shadowRoot!.activeElement?.shadowRoot!.activeElement?.getAttribute('role')
  })
  expect(role).toBe('checkbox')
})

test('an address with a thousand fragments costs no time', async () => {
  await on.open()
  const ms = await on.page.evaluate((base) => {
    history.replaceState(null, '', `#${'#hv='.repeat(200_000)}!`)
    const started = performance.now()
    svcCaptcha.render(document.body.appendChild(document.createElement('div')), {
      sitekey: 'k',
      apiBase: base,
    })
    return performance.now() - started
  }, `${on.service.base}/`)
  expect(ms).toBeLessThan(1000)
})

describe('a script with type="module", from another origin', () => {
  test.each([
    [
      'captcha.js',
      (base: string) => `<script type="module" src="${base}/assets/captcha.js?v=1"></script>`,
    ],
    [
      'captcha.js among the page’s own, with the address in its tag',
      (base: string) =>
        `<script type="module" data-api-base="${base}/">import '${base}/assets/captcha.js'</script>`,
    ],
  ])('works: %s', async (_what, tag) => {
    on.customer.script = tag(on.service.base)
    await on.open()
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
  })

  test('works with compat.js', async () => {
    on.customer.script = `<script type="module" src="${on.service.base}/assets/compat.js?as=turnstile"></script>`
    await on.open(
      formOf(`<div class="cf-turnstile" data-sitekey="${SITEKEY}" data-action="sign-up"></div>`),
    )
    await on.until('verified')
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('imported without a tag logs where its address belongs', async () => {
    on.customer.script = `<script type="module">import '${on.service.base}/assets/captcha.js'</script>`
    await on.openForm('data-start="load"')
    await on.until('failed')
    expect(on.said.join()).toContain(
      '106 data-api-base is malformed or of another origin: use render()',
    )
  })
})

describe('what visitors may write into a comment', () => {
  const NAMED = container(
    'SERVICE',
    'data-size="invisible" data-execution="render" data-callback="NAME"',
  )
  /** Counts the calls of each function of the page. */
  const FUNCTIONS =
    '<script>var calls = []; for (const name of ["logout", "onToken"]) window[name] = () => calls.push(name)</script>'

  test.each([
    ['logout', 'outside a form', (inner: string) => inner, []],
    ['onToken', 'outside a form', (inner: string) => inner, ['onToken']],
    ['logout', 'in a form of the page', formOf, ['logout']],
  ])('data-callback="%s" %s', async (name, _where, around, calls) => {
    await on.open(FUNCTIONS + around(NAMED.replace('NAME', name)))
    await on.until('verified')
    expect(await on.page.evaluate('calls')).toEqual(calls)
  })

  test('of a hundred widgets that could begin immediately, four do, and the form beside them is sent', async () => {
    await on.open(
      container('SERVICE', 'data-size="invisible" data-start="load"').repeat(100) +
        FORM.replace('svc-captcha', 'svc-captcha own'),
    )
    await on.page.waitForFunction(() => document.querySelectorAll('.svc-captcha').length === 101)
    await on.page.locator('.own .box.idle').waitFor()
    await on.answered('challenge', 4)
    const started = Date.now()
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(Date.now() - started).toBeLessThan(15_000)
    expect(on.calls('challenge')).toHaveLength(5)
  })

  test('a link with #hv= that is no pass of this site goes with no form', async () => {
    const forged = (aud: string): string =>
      `e30.${Buffer.from(JSON.stringify({ aud })).toString('base64url')}.x`
    for (const pass of ['x.y.z', forged('hv_site_other')]) {
      await on.page.goto(`${on.customer.url}/#hv=${pass}`)
      await on.until('idle')
      expect(new URL(on.page.url()).hash).toBe(`#hv=${pass}`)
    }
    await on.fill()
    expect(await on.sent()).toEqual(ACCEPTED)
  })
})
