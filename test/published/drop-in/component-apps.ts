/** Applications with the components of our own package, or with the custom element, for components.test.ts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { angular, angularRoot } from './framework-apps.ts'
import { FOLDER } from './third-party.ts'

interface App {
  readonly name: string
  /** A module. */
  readonly source: string
}

/**
 * Each has a form with an input, the widget while `shown`, and a button. `put({ theme, shown })` changes the props; `widget()` is what the
 * framework gives as the component's functions; `say` and `fail` hear its events.
 */
export const APPS: readonly App[] = [
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

/** The same with the custom element; `widget()` is the element. */
export const ELEMENT_APPS: readonly App[] = [
  {
    name: 'svelte',
    source: `import { mount } from 'svelte'
      import App from './svelte-app.svelte'
      mount(App, { target: document.getElementById('root'), props: { form: FORM, given: GIVEN } })`,
  },
  {
    name: 'angular',
    source: angular(
      `import { CUSTOM_ELEMENTS_SCHEMA } from '@angular/core'`,
      'Root',
      angularRoot(
        `schemas: [CUSTOM_ELEMENTS_SCHEMA],
      template: \`<form [attr.id]="form.id" [attr.method]="form.method" [attr.action]="form.action">
        <input name="email" value="a@example.com">
        @if (now().shown) {
          <human-verification #one [attr.sitekey]="given.sitekey" [attr.action]="given.action" [attr.api-base]="given.apiBase" [attr.theme]="now().theme"></human-verification>
          {{ keep(one) }}
        }
        <button id="send">Send</button></form>\``,
        `form = FORM; given = GIVEN
      now = signal({ shown: true, theme: 'light' })
      keep(one) { window.widget = () => one; return '' }
      constructor() {
        window.put = (change) => this.now.update((now) => ({ ...now, ...change }))
      }`,
      ),
    ),
  },
]

const PAGE = join(FOLDER, '../../../docs/widget/javascript.md')
/** Below the packages, so that they are found. */
const BLOCKS = join(FOLDER, 'node_modules/.hv-blocks')

/** What starts the block of the page of documentation that shows each framework. */
const STARTS: readonly { readonly name: string; readonly file: string; readonly start: (from: string) => string }[] = [
  {
    name: 'react',
    file: 'SignUp.jsx',
    start: (from) => `import { createElement } from 'react'
      import { createRoot } from 'react-dom/client'
      import { SignUp } from '${from}'
      createRoot(document.getElementById('root')).render(createElement(SignUp))`,
  },
  {
    name: 'vue',
    file: 'SignUp.vue',
    start: (from) => `import { createApp } from 'vue'
      import SignUp from '${from}'
      createApp(SignUp).mount('#root')`,
  },
  {
    name: 'svelte',
    file: 'SignUp.svelte',
    start: (from) => `import { mount } from 'svelte'
      import SignUp from '${from}'
      mount(SignUp, { target: document.getElementById('root') })`,
  },
  {
    name: 'angular',
    file: 'sign-up.ts',
    start: (from) =>
      angular(
        `import { SignUp } from '${from}'`,
        'SignUp',
        `document.getElementById('root').append(document.createElement('app-sign-up'))`,
      ),
  },
]

/** The blocks of docs/widget/javascript.md, each with what starts it. @throws {Error} when the page has others. */
export function appsOfPage(): readonly App[] {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```\w+ \[\w+\] file=(\S+)\n([^]*?)^```$/gm)]
  mkdirSync(BLOCKS, { recursive: true })
  for (const [, file, text] of blocks) writeFileSync(join(BLOCKS, file!), text!)
  const files = blocks.map(([, file]) => file)
  if (files.join() !== STARTS.map(({ file }) => file).join()) throw new Error(`javascript.md has ${files.join()}`)
  return STARTS.map(({ name, file, start }) => ({ name, source: start(join(BLOCKS, file)) }))
}
