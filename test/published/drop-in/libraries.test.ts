/**
 * Page libraries with their own ways to send forms, unmodified, from the registry: the form has a token, or a warning is logged.
 * docs/widget/javascript.md, "Forms that are sent by script".
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { container } from '../../support/customer.ts'
import { inEachBrowser } from './browsers.ts'
import { FOLDER, installThirdParty } from './third-party.ts'

const script = (file: string): string =>
  `<script>${readFileSync(join(FOLDER, 'node_modules', file), 'utf8').replaceAll('</script', '<\\/script')}</script>`

/** Records what the widget logs, across the pages of one tab: a page's own memory is lost when it is left. */
const EAR = `<script>
  const hear = (text) => sessionStorage.setItem('told', (sessionStorage.getItem('told') ?? '') + ' ' + text)
  for (const name of ['error', 'warn', 'info', 'log']) {
    const say = console[name]
    console[name] = (...words) => { hear(String(words[0]).slice(0, 16)); say.apply(console, words) }
  }
  document.addEventListener('svc-captcha:error', ({ detail }) => hear('event ' + detail.code))
</script>`

/** A form of the shop; `send` is the button's attributes. */
const shop = (base: string, send: string, { onForm = '', onWidget = '' } = {}): string =>
  `<form id="form" method="post" action="/handle" ${onForm}>
    <input name="email" aria-label="Email">
    ${container(base, onWidget)}
    <button id="send" ${send}>Send</button>
  </form>`

interface Way {
  readonly way: string
  readonly files: readonly string[]
  readonly onForm?: string
  readonly send?: string
  /** Runs after the form was parsed. */
  readonly code?: string
  /** The fields that are sent without a token, with a warning; undefined: the form waits for its token. */
  readonly without?: readonly string[]
}

const HTMX_2 = ['htmx-2/dist/htmx.min.js']
const HTMX_4 = ['htmx.org/dist/htmx.min.js']
const JQUERY_3 = ['jquery-3/dist/jquery.min.js']
const JQUERY = ['jquery/dist/jquery.min.js']
const TURBO = ['@hotwired/turbo/dist/turbo.es2017-umd.js']
const ON_CLICK = (code: string): string =>
  `document.getElementById('send').addEventListener('click', () => { ${code} })`
const SERIALIZE = `$('#send').on('click', () => $.ajax({ url: '/ajax', method: 'POST', data: $('#form').serialize() }))`

const WAYS: readonly Way[] = [
  { way: 'htmx 2, hx-post on the form', files: HTMX_2, onForm: 'hx-post="/ajax" hx-swap="none"' },
  { way: 'htmx 4, hx-post on the form', files: HTMX_4, onForm: 'hx-post="/ajax" hx-swap="none"' },
  {
    way: 'htmx 2, hx-post on a button',
    files: HTMX_2,
    send: 'type="button" hx-post="/ajax" hx-swap="none"',
    without: ['email'],
  },
  {
    way: 'htmx 4, hx-post on a button',
    files: HTMX_4,
    send: 'type="button" hx-post="/ajax" hx-swap="none" hx-include="#form"',
    without: ['email'],
  },
  { way: 'Turbo Drive', files: TURBO },
  ...[
    { way: 'jQuery 3, $.ajax with form.serialize() in a click handler', files: JQUERY_3 },
    { way: 'jQuery 4, $.ajax with form.serialize() in a click handler', files: JQUERY },
  ].map((each) => ({
    ...each,
    send: 'type="button"',
    code: SERIALIZE,
    without: ['email', 'svc-response'],
  })),
  {
    way: 'jQuery 4, $.ajax with form.serialize() in a submit handler',
    files: JQUERY,
    code: `$('#form').on('submit', (event) => {
      event.preventDefault()
      $.ajax({ url: '/ajax', method: 'POST', data: $('#form').serialize() })
    })`,
  },
  {
    way: 'jQuery 4, $(form).trigger("submit")',
    files: JQUERY,
    send: 'type="button"',
    code: ON_CLICK(`$('#form').trigger('submit')`),
    without: ['email'],
  },
  {
    way: 'form.submit()',
    files: [],
    send: 'type="button"',
    code: ON_CLICK(`document.getElementById('form').submit()`),
    without: ['email'],
  },
  {
    way: 'FormData in a click handler',
    files: [],
    send: 'type="button"',
    code: ON_CLICK(
      `fetch('/ajax', { method: 'POST', body: new URLSearchParams(new FormData(document.getElementById('form'))) })`,
    ),
    without: ['email'],
  },
]

/** What makes the page's nodes like those that the server sent, where the widget's container is empty. */
const MORPHS = [
  {
    way: 'Turbo, a refresh that morphs',
    files: TURBO,
    head: '<meta name="turbo-refresh-method" content="morph">',
    code: `const old = document.getElementById('form')
      Turbo.visit('/', { action: 'replace' })
      return new Promise((done) => document.addEventListener('turbo:load', () => done(old.isConnected), { once: true }))`,
  },
  {
    way: 'Alpine’s morph, which Livewire has',
    files: ['@alpinejs/morph/dist/cdn.min.js', 'alpinejs/dist/cdn.min.js'],
    head: '',
    code: `const old = document.getElementById('form')
      Alpine.morph(old, sent)
      return old.isConnected`,
  },
]

beforeAll(installThirdParty, 300_000)

inEachBrowser({}, (world, called) => {
  const until = (state: string): Promise<void> =>
    world.browser.until(
      `document.querySelector('.svc-captcha')?.shadowRoot?.querySelector('svc-captcha-box')?.shadowRoot.querySelector('.box.${state}')`,
    )
  async function open(files: readonly string[], page: string, head = ''): Promise<void> {
    const { browser, on } = world
    on.customer.script = head + EAR + files.map(script).join('') + on.customer.script
    on.customer.page = page
    await browser.open(on.customer.url)
  }
  /** Presses the button. @returns the fields that the customer received, and whether their token was accepted. */
  async function sent(): Promise<unknown> {
    await world.browser.click('#send')
    const { fields, verdict } = await world.on.received(1)
    return [fields.map(([name]) => name), verdict['success']]
  }
  const WITH_TOKEN = [['email', 'svc-response'], true]

  const pageOf = ({ onForm = '', send = '', code = '' }: Way, onWidget = ''): string =>
    `${shop(world.on.service.base, send, { onForm, onWidget })}<script>${code}</script>`

  test.each(WAYS.filter(({ without }) => !without))('$way waits for its token', async (way) => {
    await open(way.files, pageOf(way))
    await until('idle')
    expect(await sent()).toEqual(WITH_TOKEN)
    expect(String(await world.browser.run(`return sessionStorage.getItem('told')`))).not.toContain(
      'svc-captcha',
    )
  })

  test.each(WAYS.filter(({ without }) => without))(
    '$way is sent without a token, and the page is notified',
    async (way) => {
      await open(way.files, pageOf(way))
      await until('idle')
      expect(await sent()).toEqual([way.without, false])
      await world.browser.until(`sessionStorage.getItem('told')?.includes('svc-captcha: 107')`)
    },
  )

  // A token that is there is the same in every engine.
  test.each(called === 'Chromium' ? WAYS : WAYS.slice(0, 1))(
    '$way carries the token of data-execution="render"',
    async (way) => {
      await open(way.files, pageOf(way, 'data-execution="render"'))
      await until('verified')
      expect(await sent()).toEqual(WITH_TOKEN)
    },
  )

  test.each(MORPHS)(
    '$way: the form that is there afterwards carries a token',
    async ({ files, head, code }) => {
      const page = shop(world.on.service.base, '')
      await open(files, page, head)
      await until('idle')
      expect(await world.browser.run(`const [sent] = arguments; ${code}`, page.trim())).toBe(true)
      await until('idle')
      expect(await sent()).toEqual(WITH_TOKEN)
    },
  )

  test('Turbo, a visit: the form of the new page carries a token', async () => {
    await open(TURBO, shop(world.on.service.base, ''))
    await until('idle')
    const isNew = await world.browser.run(`const old = document.getElementById('form')
      Turbo.visit('/')
      return new Promise((done) => document.addEventListener('turbo:load', () => done(!old.isConnected), { once: true }))`)
    expect(isNew).toBe(true)
    await world.browser.until(
      `document.querySelector('.svc-captcha')?.shadowRoot?.querySelectorAll('svc-captcha-box').length === 1`,
    )
    expect(await sent()).toEqual(WITH_TOKEN)
  })
})
