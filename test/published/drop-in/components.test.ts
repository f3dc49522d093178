/**
 * The components of our own package, installed as a customer's `npm install` unpacks it, on a page of each framework, and the forms of
 * docs/widget/javascript.md, "React, Vue, Svelte and Angular".
 */
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import { inEachBrowser } from './browsers.ts'
import { APPS, appsOfPage } from './component-apps.ts'
import { bundle, FOLDER, inPage, installKit, installThirdParty } from './third-party.ts'

/** Of the applications, and of the page's blocks, by framework. */
let scripts: ReadonlyMap<string, string>
let blocks: ReadonlyMap<string, string>
beforeAll(() => {
  installThirdParty()
  installKit()
  scripts = new Map(APPS.map(({ name, source }) => [name, bundle(source)]))
  blocks = new Map(appsOfPage().map(({ name, source }) => [name, bundle(source)]))
}, 300_000)

/** How many widgets the page has: boxes, and fields of the form. */
const COUNTS = `(() => {
  const all = [...document.querySelectorAll('form *')]
  const boxes = all.filter(({ shadowRoot }) => shadowRoot?.querySelector('.box'))
  return [boxes.length, document.querySelectorAll('[name=svc-response]').length].join()
})()`

inEachBrowser({}, (world) => {
  async function openWith(script: string, facts = '', tag = ''): Promise<void> {
    const { browser, on } = world
    on.customer.script = tag
    on.customer.page = `${facts}<div id="root"></div>${inPage(script)}`
    await browser.open(on.customer.url)
  }
  const open = (name: string, base = world.on.service.base): Promise<void> =>
    openWith(
      scripts.get(name)!,
      `<script>var tokens = [], errors = [], say = (token) => tokens.push(token), fail = (error) => errors.push(error),
        FORM = { id: 'form', method: 'post', action: '/handle' }, GIVEN = { sitekey: '${SITEKEY}', action: 'sign-up', apiBase: '${base}' }</script>`,
    )

  test.each([
    ['React', ''],
    ['Vue', ''],
    ['Svelte', 'our script'],
    ['Angular', 'our script'],
  ])('the form of docs/widget/javascript.md in %s carries one token', async (name, script) => {
    const { browser, on } = world
    const block = blocks.get(name)!.replaceAll('https://verify.example.com', on.service.base)
    // The component loads the script; a page with the custom element has its tag.
    const tag = script && `<script src="${on.service.base}/assets/captcha.js?v=1" defer></script>`
    await openWith(block.replaceAll('hv_site_yours', SITEKEY), '', tag)
    await browser.until(`${COUNTS} === '1,1'`)
    await browser.click('form > button')
    const { fields, verdict } = await on.received(1)
    expect([fields.map(([field]) => field), verdict['success']]).toEqual([['email', 'svc-response'], true])
  })

  describe.each(APPS)('$name', ({ name }) => {
    test('other props make another widget in its place, and the component takes its widget along', async () => {
      const { browser, on } = world
      await open(name)
      await browser.until(`${COUNTS} === '1,1'`)
      await browser.run(`put({ theme: 'dark' })`)
      await browser.until(
        `[...document.querySelectorAll('form *')].some((one) => one.shadowRoot?.querySelector('.box.dark'))`,
      )
      expect(await browser.run(`return ${COUNTS}`)).toBe('1,1')
      await browser.run(`put({ shown: false })`)
      await browser.until(`${COUNTS} === '0,0'`)
      await browser.run(`put({ shown: true })`)
      await browser.until(`${COUNTS} === '1,1'`)
      const token = String(await browser.run(`return widget().execute()`))
      await browser.until(`tokens.length === 1`)
      expect(
        await browser.run(`return [tokens[0], widget().getResponse(), widget().isExpired(), errors.length]`),
      ).toEqual([token, expect.any(String), false, 0])
      expect(await on.verified(token)).toBe(true)
      await browser.run(`widget().refused()`)
      await browser.until(`errors.length === 1 && errors[0].code === 302`)
    })

    test('a script that does not come is an error that the page is told', async () => {
      const { browser } = world
      await open(name, 'http://127.0.0.1:9')
      await browser.until(`errors.length > 0`)
      expect(await browser.run(`return errors[0]`)).toEqual({
        code: 200,
        message: 'http://127.0.0.1:9/assets/captcha.js?v=1 could not be loaded',
        retryable: true,
        directives: [],
      })
    })
  })
})

describe('on a server, where there is no window', () => {
  const GIVEN = `{ sitekey: 'hv_site_a', action: 'sign-up', apiBase: 'https://verify.example.com' }`
  const run = (program: string): string =>
    execFileSync(process.execPath, ['--input-type=commonjs', '--eval', program], {
      cwd: FOLDER,
      encoding: 'utf8',
    }).trim()

  test.each([
    {
      name: 'react',
      program: `const { createElement } = require('react')
        const { HumanVerification } = require('@human-verification/client/react')
        console.log(require('react-dom/server').renderToString(createElement(HumanVerification, { ...${GIVEN}, className: 'box' })))`,
      html: '<div class="box"></div>',
    },
    {
      name: 'vue',
      program: `const { createSSRApp, h } = require('vue')
        const { HumanVerification } = require('@human-verification/client/vue')
        require('vue/server-renderer').renderToString(createSSRApp({ render: () => h(HumanVerification, ${GIVEN}) })).then(console.log)`,
      html: '<div></div>',
    },
  ])('$name renders no more than the place', ({ program, html }) => {
    expect(run(program)).toBe(html)
  })
})
