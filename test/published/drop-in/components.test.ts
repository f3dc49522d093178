/**
 * The components of our own package, installed as a customer's `npm install` unpacks it, on a page of each framework, and the forms of
 * docs/widget/javascript.md, "React, Vue, Svelte and Angular".
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import { inEachBrowser } from './browsers.ts'
import { angular, bundle, FOLDER, inPage, installKit, installThirdParty } from './third-party.ts'

interface App {
  readonly name: string
  readonly source: string
}

/**
 * Each has a form with an input, the widget while `shown`, and a button. `put({ theme, shown })` changes the props; `widget()` is what the
 * framework gives as the component's functions; `say` and `fail` hear its events.
 */
const APPS: readonly App[] = [
  {
    name: 'react',
    source: `import React, { StrictMode, useRef, useState } from 'react'
      import { createRoot } from 'react-dom/client'
      import { HumanVerification } from '@human-verification/client/react'
      const e = React.createElement
      function App() {
        const [{ shown, theme }, set] = useState({ shown: true, theme: 'light' })
        const ref = useRef(null)
        window.put = (change) => set((now) => ({ ...now, ...change }))
        window.widget = () => ref.current
        return e('form', FORM,
          e('input', { name: 'email', defaultValue: 'a@example.com' }),
          shown && e(HumanVerification, { ...GIVEN, ref, theme, texts: {}, onToken: (token) => say(token), onError: (error) => fail(error) }),
          e('button', { id: 'send' }, 'Send'))
      }
      createRoot(document.getElementById('root')).render(e(StrictMode, null, e(App)))`,
  },
  {
    name: 'vue',
    source: `import { createApp, h, reactive, ref } from 'vue'
      import { HumanVerification } from '@human-verification/client/vue'
      createApp({
        setup() {
          const now = reactive({ shown: true, theme: 'light' }), one = ref()
          window.put = (change) => Object.assign(now, change)
          window.widget = () => one.value
          return () => h('form', FORM, [
            h('input', { name: 'email', value: 'a@example.com' }),
            now.shown && h(HumanVerification, { ...GIVEN, ref: one, theme: now.theme, texts: {}, onToken: (token) => say(token), onError: (error) => fail(error) }),
            h('button', { id: 'send' }, 'Send'),
          ])
        },
      }).mount('#root')`,
  },
]

const PAGE = join(FOLDER, '../../../docs/widget/javascript.md')
/** Below the packages, so that they are found. */
const BLOCKS = join(FOLDER, 'node_modules/.hv-blocks')

/** What starts each block of the page of documentation, by its file. */
const STARTS: Readonly<Record<string, (from: string) => string>> = {
  'SignUp.jsx': (from) => `import { createElement } from 'react'
    import { createRoot } from 'react-dom/client'
    import { SignUp } from '${from}'
    createRoot(document.getElementById('root')).render(createElement(SignUp))`,
  'SignUp.vue': (from) => `import { createApp } from 'vue'
    import SignUp from '${from}'
    createApp(SignUp).mount('#root')`,
  'SignUp.svelte': (from) => `import { mount } from 'svelte'
    import SignUp from '${from}'
    mount(SignUp, { target: document.getElementById('root') })`,
  'sign-up.ts': (from) =>
    angular(
      `import { SignUp } from '${from}'`,
      'SignUp',
      `document.getElementById('root').append(document.createElement('app-sign-up'))`,
    ),
}

/** The blocks of docs/widget/javascript.md, each with what starts it. @throws {Error} when the page has others. */
function appsOfPage(): readonly App[] {
  const blocks = [
    ...readFileSync(PAGE, 'utf8').matchAll(/^```\w+ \[(\w+)\] file=(\S+)\n([^]*?)^```$/gm),
  ]
  mkdirSync(BLOCKS, { recursive: true })
  return blocks.map(([, name, file, text]) => {
    writeFileSync(join(BLOCKS, file!), text!)
    return { name: name!, source: STARTS[file!]!(join(BLOCKS, file!)) }
  })
}

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
  const boxes = all.filter(({ shadowRoot }) => shadowRoot?.querySelector('svc-captcha-box'))
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
    // The field of the custom element comes at the press.
    await browser.until(`${COUNTS}.startsWith('1,')`)
    await browser.click('form > button')
    const { fields, verdict } = await on.received(1)
    expect([fields.map(([field]) => field), verdict['success']]).toEqual([
      ['email', 'svc-response'],
      true,
    ])
  })

  describe.each(APPS)('$name', ({ name }) => {
    test('other props make another widget in its place, and the component takes its widget along', async () => {
      const { browser, on } = world
      await open(name)
      await browser.until(`${COUNTS} === '1,1'`)
      await browser.run(`put({ theme: 'dark' })`)
      await browser.until(
        `[...document.querySelectorAll('form *')].some((one) => one.shadowRoot?.querySelector('svc-captcha-box')?.shadowRoot.querySelector('.box.dark'))`,
      )
      expect(await browser.run(`return ${COUNTS}`)).toBe('1,1')
      await browser.run(`put({ shown: false })`)
      await browser.until(`${COUNTS} === '0,0'`)
      await browser.run(`put({ shown: true })`)
      await browser.until(`${COUNTS} === '1,1'`)
      const token = String(await browser.run(`return widget().execute()`))
      await browser.until(`tokens.length === 1`)
      expect(
        await browser.run(
          `return [tokens[0], widget().getResponse(), widget().isExpired(), errors.length]`,
        ),
      ).toEqual([token, expect.any(String), false, 0])
      expect(await on.verified(token)).toBe(true)
      expect(
        await browser.run(
          `return widget().fetch('/orders/tea', { method: 'POST' }).then(({ status }) => status)`,
        ),
      ).toBe(200)
      expect((await on.received(1)).verdict['success']).toBe(true)
      await browser.run(`widget().refused()`)
      await browser.until(`errors.length === 1 && errors[0].code === 302`)
    })

    test('a script that fails to load is reported to the page as an error', async () => {
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

const GIVEN = `{ sitekey: 'hv_site_a', action: 'sign-up', apiBase: 'https://verify.example.com' }`
const run = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=commonjs', '--eval', program], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
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
])(
  'on a server, where there is no window, $name renders no more than the place',
  ({ program, html }) => {
    expect(run(program)).toBe(`${html}\n`)
  },
)
