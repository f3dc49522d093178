/** Applications with the components of our own package, for components.test.ts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** A module that starts a component of Angular. @param imports of more packages. @param classes in TypeScript’s or JavaScript’s words. */
export const angular = (imports: string, component: string, classes = ''): string => `import '@angular/compiler'
  import { Component, provideZonelessChangeDetection, signal } from '@angular/core'
  import { bootstrapApplication } from '@angular/platform-browser'
  ${imports}
  ${classes}
  void bootstrapApplication(${component}, { providers: [provideZonelessChangeDetection()] })`

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
export function appsOfPage(): readonly App[] {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```\w+ \[(\w+)\] file=(\S+)\n([^]*?)^```$/gm)]
  mkdirSync(BLOCKS, { recursive: true })
  return blocks.map(([, name, file, text]) => {
    writeFileSync(join(BLOCKS, file!), text!)
    return { name: name!, source: STARTS[file!]!(join(BLOCKS, file!)) }
  })
}
