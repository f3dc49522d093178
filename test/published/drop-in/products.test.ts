/**
 * Products whose operator names the address of a captcha's script and that of its siteverify: their pages and their question, written anew after
 * what their sources do. The products themselves are not run. docs/start/migrate.md, "Products with a configurable captcha"
 */
import { describe, expect, test } from '@jest/globals'
import { SECRET, SITEKEY } from '../../support/app.ts'
import type { Action } from '../../../src/domain/words.ts'
import { inEachBrowser } from './browsers.ts'

/** CrowdSec's bouncer for Traefik: one form without a button, no action, and a callback that sends it with `submit()`. */
const crowdsec = (
  script: string,
): string => `<script src="${script.replaceAll('&', '&amp;')}" async defer></script>
  <form action="" method="POST" id="captcha-form"><div id="captcha" class="cf-turnstile" data-sitekey="${SITEKEY}" data-callback="captchaCallback"></div></form>
  <script>function captchaCallback() { setTimeout(() => document.querySelector('#captcha-form').submit(), 500) }</script>`

const NAMES = ['grecaptcha', 'hcaptcha', 'turnstile'] as const
type Name = (typeof NAMES)[number]

/** What authentik's stage does unseen, and at a second request for a token, with the global that it found. */
const UNSEEN: Readonly<Record<Name, readonly [first: string, again: string]>> = {
  grecaptcha: [
    `grecaptcha.ready(() => grecaptcha.execute(grecaptcha.render(place, { sitekey, callback, size: 'invisible', hl: 'en' })))`,
    `grecaptcha.reset(); grecaptcha.execute()`,
  ],
  hcaptcha: [
    `hcaptcha.execute(hcaptcha.render(place, { sitekey, callback, size: 'invisible', hl: 'en' }))`,
    `hcaptcha.reset(); hcaptcha.execute()`,
  ],
  turnstile: [`turnstile.render(place, { sitekey, callback })`, `turnstile.reset()`],
}

/** The document of its frame, when the stage is interactive: for Turnstile by explicit rendering, else by markup. */
const frame = (name: Name, script: string): string => {
  const [body, more] =
    name === 'turnstile'
      ? [
          `<div id="ak-container"></div><script>function onTurnstileReady() {
            turnstile.render('#ak-container', { sitekey: '${SITEKEY}', theme: 'light', language: 'en', size: 'flexible', callback }) }</script>`,
          '&render=explicit&onload=onTurnstileReady',
        ]
      : [
          `<div id="ak-container" class="${name === 'hcaptcha' ? 'h-captcha' : 'g-recaptcha'}" data-theme="light" data-sitekey="${SITEKEY}" data-callback="callback"></div>`,
          '',
        ]
  return `<!doctype html><script>function callback(token) { parent.postMessage({ token }) }</script>${body}<script src="${script}${more}"></script>`
}

/** Its page: the script is put there by another, and the first of the globals that is there is the one that it uses. */
const authentik = (name: Name, script: string, interactive: boolean): string => `<script>
  var tokens = [], chosen, sitekey = '${SITEKEY}', callback = (token) => tokens.push(token), place = document.createElement('div'), again
  addEventListener('message', ({ data }) => data.token && callback(data.token))
  const unseen = { ${NAMES.map((each) => `${each}: [() => { ${UNSEEN[each][0]} }, () => { ${UNSEEN[each][1]} }]`).join()} }
  const loader = document.createElement('script')
  Object.assign(loader, { src: '${script}', async: true, defer: true, onload() {
    chosen = ${JSON.stringify(NAMES)}.find((each) => Object.hasOwn(window, each))
    if (!${String(interactive)}) { again = unseen[chosen][1]; return unseen[chosen][0]() }
    const inner = document.querySelector('iframe'), text = ${JSON.stringify(frame(name, script)).replaceAll('</', '<\\/')}
    again = () => inner.contentWindow[chosen].reset()
    if (chosen === 'turnstile') inner.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }))
    else { inner.contentDocument.open(); inner.contentDocument.write(text); inner.contentDocument.close() }
  } })
  document.head.append(loader)
  addEventListener('DOMContentLoaded', () => document.body.append(place))
</script><iframe></iframe>`

inEachBrowser({ defaultAction: 'sign-up' as Action }, (world) => {
  const compat = (as: string): string => `${world.on.service.base}/assets/compat.js?as=${as}&v=1`
  /** The product's server asks by a form, and looks at the status, the type and `success`. */
  async function isAccepted(fields: Readonly<Record<string, string>>): Promise<unknown> {
    const body = new URLSearchParams({ secret: SECRET, ...fields })
    const answer = await fetch(`${world.on.service.base}/api/v1/siteverify`, {
      method: 'POST',
      body,
    })
    const { success } = (await answer.json()) as { success: unknown }
    return [
      answer.status,
      answer.headers.get('content-type')?.startsWith('application/json'),
      success,
    ]
  }

  test('CrowdSec’s bouncer: the page sends itself, once, and the bouncer’s question is answered', async () => {
    const { browser, on } = world
    on.customer.script = ''
    on.customer.page = crowdsec(compat('turnstile'))
    await browser.open(on.customer.url)
    const { path, fields } = await on.received(1)
    expect([path, fields.map(([name]) => name)]).toEqual(['/', ['cf-turnstile-response']])
    const response = fields[0]![1]
    expect([await isAccepted({ response }), await isAccepted({ response })]).toEqual([
      [200, true, true],
      [200, true, false],
    ])
  })

  describe.each(NAMES)('authentik with %s', (name) => {
    test.each([
      { how: 'unseen', interactive: false },
      { how: 'interactive, in its frame', interactive: true },
    ])(
      '$how: it is chosen by its global, gives a token, and another after a reset',
      async ({ interactive }) => {
        const { browser, on } = world
        on.customer.script = ''
        on.customer.page = authentik(name, compat(name), interactive)
        await browser.open(on.customer.url)
        await browser.until('tokens.length > 0')
        await browser.run('again()')
        await browser.until('tokens.length > 1')
        const [chosen, [first, second]] = (await browser.run('return [chosen, tokens]')) as [
          string,
          [string, string],
        ]
        expect([chosen, first === second]).toEqual([name, false])
        expect(await isAccepted({ response: second, remoteip: '127.0.0.1' })).toEqual([
          200,
          true,
          true,
        ])
      },
    )
  })
})
