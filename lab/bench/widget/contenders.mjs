/** The three widgets, each set up as its own documentation begins, with its own server part. */
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Cap from '@cap.js/server'
import { createChallenge, randomInt, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'

const ROOT = join(import.meta.dirname, '../../..')
export const packageFile = (path) => readFileSync(join(import.meta.dirname, 'node_modules', path))
export const version = (name) => JSON.parse(packageFile(`${name}/package.json`)).version
export const json = (answer) => ({ type: 'application/json', body: JSON.stringify(answer) })
export const script = (body) => ({ type: 'text/javascript', body })

export const page = (head, widget) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign up</title><link rel="icon" href="data:,">${head}</head>` +
  `<body><form method="post" action="/sent"><input name="email" aria-label="Email">${widget}<button>Send</button></form></body></html>`

/**
 * One contender.
 *
 * `serve(method, path, body)` answers what its page asks of the customer's origin, or undefined.
 * `press`: what the visitor presses besides the field; undefined: nothing. `ready`: an expression that becomes true
 * when the form can be sent. `field`: what carries the token. `accepts`: its server's word on it.
 */
export async function contenders() {
  return [await ours(), altcha(), cap()]
}

async function ours() {
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-'))
  const secret = 'hv_secret_bench_0000000000000000000000000000000'
  const sitekey = 'hv_site_benchmark'
  const hash = createHash('sha256').update(secret).digest('hex')
  writeFileSync(
    join(folder, 'config.yaml'),
    // The threshold: a driven browser scores low, and that is not what is measured. The work is the default.
    `version: 1\nlisten: 127.0.0.1:0\nops_listen: 127.0.0.1:0\nlimits: {challenge: 100000 per 1m, solve: 100000 per 1m}\nsites:\n  - sitekey: ${sitekey}\n    name: Bench\n` +
      `    secrets: [{sha256: ${hash}}]\n    hostnames: [127.0.0.1]\n    score_threshold: 0\n`,
  )
  const child = spawn(process.execPath, [join(ROOT, 'dist/main.js'), 'serve', '--config', join(folder, 'config.yaml')])
  let said = ''
  const base = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += chunk
      const line = said.split('\n').find((one) => one.includes('"listening"'))
      if (line) resolve(JSON.parse(line).url)
    })
    child.stderr.on('data', (chunk) => (said += chunk))
    child.once('close', () => reject(new Error(said)))
  })
  const at = base.replace(/\/$/, '')
  return {
    name: 'human-verification',
    version: JSON.parse(readFileSync(join(ROOT, 'package.json'))).version,
    page: page(
      `<script src="${at}/assets/captcha.js?v=1" defer></script>`,
      `<div class="svc-captcha" data-sitekey="${sitekey}" data-action="sign-up" data-api-base="${at}/"></div>`,
    ),
    serve: () => undefined,
    ready: `document.querySelector('.svc-captcha > svc-captcha-box').shadowRoot.querySelector('.box.ready')`,
    loaded: `document.querySelector('.svc-captcha > svc-captcha-box')?.shadowRoot?.querySelector('.box')`,
    field: 'svc-response',
    async accepts(response) {
      const body = new URLSearchParams({ secret, response, action: 'sign-up' })
      return (await (await fetch(`${at}/api/v1/siteverify`, { method: 'POST', body })).json()).success
    },
    async stop() {
      child.removeAllListeners('close')
      child.kill()
      await new Promise((resolve) => child.once('close', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function altcha() {
  // As in the README of altcha-lib 2, "Usage".
  const secrets = { hmacSignatureSecret: 'a secret of the bench', hmacKeySignatureSecret: 'another of the bench' }
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
      return json(await createChallenge({ algorithm: 'PBKDF2/SHA-256', cost: 5000, counter, deriveKey, ...secrets }))
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
        return { type: 'application/wasm', body: packageFile('@cap.js/wasm/browser/cap_wasm_bg.wasm') }
      if (method === 'POST' && path === '/cap/challenge') return json(await server.createChallenge())
      if (method === 'POST' && path === '/cap/redeem') return json(await server.redeemChallenge(JSON.parse(body)))
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
