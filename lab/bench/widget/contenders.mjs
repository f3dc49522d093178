/** The three widgets, each set up as its own documentation begins, with its own server part. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Cap from '@cap.js/server'
import { createChallenge, randomInt, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { ROOT } from '../../stand/machine.mjs'
import { ACTION, SITEKEY, startService } from '../../stand/service.mjs'

const packageFile = (path) => readFileSync(join(ROOT, 'lab/node_modules', path))
const version = (name) => JSON.parse(packageFile(`${name}/package.json`)).version
const json = (answer) => ({ type: 'application/json', body: JSON.stringify(answer) })
const script = (body) => ({ type: 'text/javascript', body })

const page = (head, widget) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign up</title><link rel="icon" href="data:,">${head}</head>` +
  `<body><form method="post" action="/sent"><input name="email" aria-label="Email">${widget}<button>Send</button></form></body></html>`

/**
 * `serve(method, path, body)` answers what its page asks of the customer's origin, or undefined.
 * `press`: what the visitor presses besides the field; undefined: nothing. `ready`: an expression that becomes true
 * when the form can be sent. `field`: what carries the token. `accepts`: its server's word on it.
 */
export async function contenders() {
  return [await ours(), altcha(), cap()]
}

async function ours() {
  const service = await startService({
    settings: { limits: { challenge: '100000 per 1m', solve: '100000 per 1m' } },
    // A driven browser scores low, and that is not what is measured. The work is the default.
    policy: { score_threshold: 0 },
  })
  const at = service.url.replace(/\/$/, '')
  return {
    name: 'human-verification',
    version: JSON.parse(readFileSync(join(ROOT, 'package.json'))).version,
    page: page(
      `<script src="${at}/assets/captcha.js?v=1" defer></script>`,
      `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="${ACTION}" data-api-base="${at}/"></div>`,
    ),
    serve: () => undefined,
    ready: `document.querySelector('.svc-captcha').shadowRoot.querySelector('svc-captcha-box').shadowRoot.querySelector('.box.ready')`,
    loaded: `document.querySelector('.svc-captcha')?.shadowRoot?.querySelector('svc-captcha-box')?.shadowRoot?.querySelector('.box')`,
    field: 'svc-response',
    async accepts(response) {
      const body = new URLSearchParams({ secret: service.secret, response, action: ACTION })
      return (await (await fetch(`${at}/api/v1/siteverify`, { method: 'POST', body })).json())
        .success
    },
    stop: service.stop,
  }
}

function altcha() {
  // As in the README of altcha-lib 2, "Usage".
  const secrets = {
    hmacSignatureSecret: 'a secret of the bench',
    hmacKeySignatureSecret: 'another of the bench',
  }
  return {
    name: 'ALTCHA',
    version: `${version('altcha')}, altcha-lib ${version('altcha-lib')}`,
    page: page(
      '<script async defer src="/altcha.js" type="module"></script>',
      '<altcha-widget challenge="/challenge"></altcha-widget>',
    ),
    async serve(_method, path) {
      if (path === '/altcha.js') return script(packageFile('altcha/dist/main/altcha.min.js'))
      if (path !== '/challenge') return undefined
      const counter = randomInt(5000, 10_000)
      return json(
        await createChallenge({
          algorithm: 'PBKDF2/SHA-256',
          cost: 5000,
          counter,
          deriveKey,
          ...secrets,
        }),
      )
    },
    press: 'altcha-widget input[type=checkbox]',
    loaded: `document.querySelector('altcha-widget input[type=checkbox]')`,
    ready: `document.querySelector('[name=altcha]')?.value`,
    field: 'altcha',
    async accepts(token) {
      const { challenge, solution } = JSON.parse(Buffer.from(token, 'base64').toString())
      return (await verifySolution({ challenge, solution, deriveKey, ...secrets })).verified
    },
    stop() {},
  }
}

function cap() {
  const server = new Cap({ noFSState: true })
  return {
    name: 'Cap',
    version: `${version('@cap.js/widget')}, @cap.js/server ${version('@cap.js/server')}`,
    page: page(
      // Its default is a third party's address (cdn.jsdelivr.net); here the same package from the customer's origin.
      `<script>window.CAP_CUSTOM_WASM_URL = '/cap_wasm_bg.wasm'</script><script src="/cap.js"></script>`,
      '<cap-widget data-cap-api-endpoint="/cap/"></cap-widget>',
    ),
    async serve(method, path, body) {
      if (path === '/cap.js') return script(packageFile('@cap.js/widget/cap.min.js'))
      if (path === '/cap_wasm_bg.wasm')
        return {
          type: 'application/wasm',
          body: packageFile('@cap.js/wasm/browser/cap_wasm_bg.wasm'),
        }
      if (method === 'POST' && path === '/cap/challenge')
        return json(await server.createChallenge())
      if (method === 'POST' && path === '/cap/redeem')
        return json(await server.redeemChallenge(JSON.parse(body)))
      return undefined
    },
    press: 'cap-widget .captcha',
    loaded: `document.querySelector('cap-widget').shadowRoot?.querySelector('.captcha')`,
    ready: `document.querySelector('[name=cap-token]')?.value`,
    field: 'cap-token',
    accepts: async (token) => (await server.validateToken(token)).success,
    stop() {},
  }
}
