/**
 * Page components of other services, unmodified, from the registry: the page has `compat.js` in place of the service's script, and our
 * sitekey. docs/start/migrate.md lists them with these versions.
 */
import { beforeAll, expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import type { Action } from '../../../src/domain/words.ts'
import { inEachBrowser } from './browsers.ts'
import { angular, bundle, inPage, installThirdParty } from './third-party.ts'

interface Component {
  /** Of the registry. */
  readonly name: string
  /** The query of compat.js. */
  readonly as: string
  /** Of the script, where the component looks for it. */
  readonly id?: string
  /** Whose script it adds beside ours, whatever is there. */
  readonly adds?: string
  /** A module that mounts it in `#root`, and says each token by `say(token)`. */
  readonly source: string
  /** Whether the token is asked for by a press. */
  readonly button?: true
}

/** A module that starts an application of React. @param element a call of `e`. */
const react = (imports: string, element: string): string => `import React from 'react'
  import { createRoot } from 'react-dom/client'
  ${imports}
  const e = React.createElement
  createRoot(document.getElementById('root')).render(${element})`

const COMPONENTS: readonly Component[] = [
  {
    name: '@marsidev/react-turnstile',
    as: 'turnstile',
    adds: 'https://challenges.cloudflare.com',
    source: react(
      `import { Turnstile } from '@marsidev/react-turnstile'`,
      `e(Turnstile, { siteKey: KEY, options: { action: 'sign-up', theme: 'dark' }, onSuccess: say })`,
    ),
  },
  {
    name: 'react-turnstile',
    as: 'turnstile',
    source: react(
      `import Turnstile from 'react-turnstile'`,
      `e(Turnstile, { sitekey: KEY, onVerify: say })`,
    ),
  },
  {
    name: 'vue-turnstile',
    as: 'turnstile',
    source: `import { createApp, h } from 'vue'
      import VueTurnstile from 'vue-turnstile'
      createApp({ render: () => h(VueTurnstile, { siteKey: KEY, modelValue: '', 'onUpdate:modelValue': (token) => token && say(token) }) }).mount('#root')`,
  },
  {
    name: '@hcaptcha/react-hcaptcha',
    as: 'hcaptcha',
    source: react(
      `import HCaptcha from '@hcaptcha/react-hcaptcha'`,
      `e(HCaptcha, { sitekey: KEY, onVerify: say })`,
    ),
  },
  {
    name: 'react-google-recaptcha',
    as: 'grecaptcha',
    source: react(
      `import ReCAPTCHA from 'react-google-recaptcha'`,
      `e(ReCAPTCHA, { sitekey: KEY, onChange: say })`,
    ),
  },
  {
    name: 'react-google-recaptcha-v3',
    as: `grecaptcha&render=${SITEKEY}`,
    button: true,
    source: react(
      `import { GoogleReCaptchaProvider, useGoogleReCaptcha } from 'react-google-recaptcha-v3'
       function Form() {
         const { executeRecaptcha } = useGoogleReCaptcha()
         return e('button', { id: 'press', type: 'button', onClick: async () => say(await executeRecaptcha('sign-up')) }, 'Send')
       }`,
      `e(GoogleReCaptchaProvider, { reCaptchaKey: KEY, scriptProps: { id: 'compat' } }, e(Form))`,
    ),
  },
  {
    name: 'ngx-turnstile',
    as: 'turnstile',
    id: 'ngx-turnstile',
    source: angular(
      `import { NgxTurnstileModule } from 'ngx-turnstile'`,
      'Root',
      // As TypeScript's decorator leaves it.
      `class Undecorated { key = KEY; said = say }
      const component = { selector: '#root', imports: [NgxTurnstileModule], template: '<ngx-turnstile [siteKey]="key" (resolved)="said($event)" />' }
      const Root = Component(component)(Undecorated) ?? Undecorated`,
    ),
  },
]

let scripts: ReadonlyMap<string, string>
beforeAll(() => {
  installThirdParty()
  scripts = new Map(COMPONENTS.map(({ name, source }) => [name, bundle(source)]))
}, 300_000)

inEachBrowser({ defaultAction: 'sign-up' as Action }, (world) => {
  test.each(COMPONENTS)(
    '$name gives its page one token that siteverify accepts, and asks nobody but the service',
    async (component) => {
      const { name, as, id = 'compat', button, adds = '' } = component
      const { browser, on } = world
      on.customer.script = `<script id="${id}" src="${on.service.base}/assets/compat.js?as=${as}&v=1"></script>`
      on.customer.page = `<script>var tokens = [], KEY = '${SITEKEY}', say = (token) => tokens.push(token)</script>
      <form id="form" method="post" action="/handle"><div id="root"></div></form>${inPage(scripts.get(name)!)}`
      await browser.open(on.customer.url)
      if (button) {
        await browser.until(`document.querySelector('#press')`)
        await browser.click('#press')
      }
      await browser.until('tokens.length > 0')
      const tokens = (await browser.run('return tokens')) as string[]
      expect([tokens.length, await on.verified(tokens[0]!)]).toEqual([1, true])
      const asked = (await browser.run(
        `return performance.getEntriesByType('resource').map(({ name }) => new URL(name)).filter(({ protocol }) => /^http/.test(protocol)).map(({ origin }) => origin)`,
      )) as string[]
      expect(asked).toContain(on.service.base)
      const known = new Set([on.service.base, on.customer.url, adds])
      expect(asked.filter((origin) => !known.has(origin))).toEqual([])
    },
  )
})
