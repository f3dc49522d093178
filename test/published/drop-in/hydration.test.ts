/**
 * Pages whose markup the server renders with the plain element, hydrated after the visitor has begun to type: by React in the
 * whole document (Next.js, Remix), and by Vue in an element. The visitor's text, the nodes and the token survive, also where a button
 * was pressed before.
 */
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import { inEachBrowser } from './browsers.ts'
import { bundle, FOLDER, inPage, installThirdParty } from './third-party.ts'

const REACT = `const { createElement: e } = require('react')
  const Form = ({ base }) => { const [count, set] = require('react').useState(0); globalThis.again = () => set((n) => n + 1)
    return e('form', { method: 'post', action: '/handle', 'data-count': count },
      e('input', { name: 'email' }), e('div', { className: 'svc-captcha', 'data-sitekey': '${SITEKEY}', 'data-action': 'sign-up', 'data-api-base': base + '/' }), e('button', { id: 'show', type: 'button' }), e('button', { id: 'go' }, 'Send ' + count)) }
  const Page = ({ base }) => e('html', { lang: 'en' }, e('head', null, e('title', null, 'Shop'), e('script', { src: base + '/assets/captcha.js?v=1', defer: true })), e('body', null, e(Form, { base })))
  const failed = { onRecoverableError: (error) => errors.push(String(error)) }`
const VUE = `const { createSSRApp, h, ref } = require('vue')
  const app = (base) => createSSRApp({ setup() { const count = ref(0); globalThis.again = () => count.value++
    return () => h('form', { method: 'post', action: '/handle', 'data-count': count.value },
      [h('input', { name: 'email' }), h('div', { class: 'svc-captcha', 'data-sitekey': '${SITEKEY}', 'data-action': 'sign-up', 'data-api-base': base + '/' }), h('button', { id: 'show', type: 'button' }), h('button', { id: 'go' }, 'Send ' + count.value)]) } })`

/** The form shows the state of the page instead of its text. */
const WATCH = `window.errors = []; const form = document.querySelector('form')
  window.arm = () => (window.armed = document.addEventListener('click', () => setTimeout(go)) || true)
  addEventListener('formdata', ({ formData }) => window.armed && formData.set('email', [form.isConnected, errors]))`

/** `html` is what the server prints, `hydrate` what the page runs later. `isWhole`: the framework owns the whole document. */
const APPS = [
  {
    name: 'React, in the whole document',
    html: `${REACT}; console.log('<!doctype html>' + require('react-dom/server').renderToString(e(Page, { base: BASE })))`,
    hydrate: `${REACT}; window.go = () => require('react-dom/client').hydrateRoot(document, e(Page, { base: BASE }), failed)`,
    isWhole: true,
  },
  {
    name: 'Vue, in an element',
    html: `${VUE}; require('vue/server-renderer').renderToString(app(BASE)).then(console.log)`,
    hydrate: `${VUE}; window.go = () => { console.warn = console.error = (...all) => errors.push(all.join(' ')); app(BASE).mount('#root') }`,
  },
] as const

const scripts = new Map<string, string>()
beforeAll(() => {
  installThirdParty()
  for (const { name, hydrate } of APPS) scripts.set(name, bundle(`${WATCH}; ${hydrate}`))
}, 300_000)

const rendered = (program: string, base: string): string =>
  execFileSync(
    process.execPath,
    ['--input-type=commonjs', '--eval', `const BASE = '${base}'; ${program}`],
    {
      cwd: FOLDER,
      encoding: 'utf8',
    },
  ).trim()

inEachBrowser({}, (world) => {
  /** Opens the page that the server rendered, and types into its form before it is hydrated. */
  async function open({ name, html, ...app }: (typeof APPS)[number]): Promise<void> {
    const { browser, on } = world
    const { base } = on.service
    const script = `<script>window.BASE = '${base}'</script>${inPage(scripts.get(name)!)}`
    const markup = rendered(html, base)
    if ('isWhole' in app) {
      // The frameworks put their scripts behind the page's own content, as React expects them.
      on.customer.whole = markup.replace('</body>', `${script}</body>`)
    } else on.customer.page = `<div id="root">${markup}</div>${script}`
    await browser.open(on.customer.url)
    await browser.until(
      `document.querySelector('.svc-captcha').shadowRoot?.querySelector('svc-captcha-box')`,
    )
    await browser.type('[name=email]', 'typed@example.com')
    await browser.run(`document.querySelector('form').mine = true`)
  }

  test.each(APPS)(
    '$name keeps text typed before hydration, and the form is accepted',
    async (app) => {
      const { browser, on } = world
      await open(app)
      await browser.click('#show')
      await browser.run(`go()`)
      await browser.until(`window.again`)
      // A later difference: the form is rendered again.
      await browser.run(`again()`)
      await browser.until(`document.querySelector('form').dataset.count === '1'`)
      expect(
        await browser.run(
          `return [document.querySelector('form').mine, document.querySelector('[name=email]').value, errors.join()]`,
        ),
      ).toEqual([true, 'typed@example.com', ''])
      await browser.click('#go')
      const { fields, verdict } = await on.received(1)
      expect([fields.map(([field]) => field), verdict['success']]).toEqual([
        ['email', 'svc-response'],
        true,
      ])
    },
  )

  test.each(APPS)('$name is hydrated while the form is held', async (app) => {
    const { browser, on } = world
    await open(app)
    await browser.run(`arm()`)
    await browser.click('#go')
    const { fields, verdict } = await on.received(1)
    expect([fields[0], fields.length, verdict['success']]).toEqual([['email', 'true,'], 2, true])
  })
})
