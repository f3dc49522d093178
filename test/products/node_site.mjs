// Pages of products of npm, as their documentation shows them. Addresses and keys come from the environment.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const {
  HV_ORIGIN: origin,
  HV_SITEKEY: sitekey,
  HV_SECRET: secret,
  HV_MODULES: modules,
} = process.env
const [, , port] = process.argv
const load = (file) => import(pathToFileURL(join(modules, file)).href)
const { betterAuth } = await load('better-auth/dist/index.mjs')
const { captcha } = await load('better-auth/dist/plugins/index.mjs')
const { NestFactory } = await load('@nestjs/core/index.js')
const { GoogleRecaptchaModule, GoogleRecaptchaValidator } = await load(
  '@nestlab/google-recaptcha/index.js',
)

const auth = betterAuth({
  baseURL: `http://localhost:${port}`,
  secret: 'for-this-test-only-and-long-enough-to-be-taken',
  logger: { disabled: true },
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  plugins: [
    captcha({
      provider: 'cloudflare-turnstile',
      secretKey: secret,
      siteVerifyURLOverride: `${origin}/turnstile/v0/siteverify`,
    }),
  ],
})

/** A sign-up at better-auth, whose plug-in reads the token in a header. */
async function signUp(token) {
  const body = {
    name: 'Ada',
    email: `${randomUUID()}@example.com`,
    password: 'correct horse battery',
  }
  const headers = {
    'content-type': 'application/json',
    'x-captcha-response': token,
    origin: `http://localhost:${port}`,
  }
  const address = `http://localhost:${port}/api/auth/sign-up/email`
  const request = new Request(address, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await auth.handler(request)).status === 200
}

const nest = await NestFactory.createApplicationContext(
  GoogleRecaptchaModule.forRoot({
    secretKey: secret,
    network: `${origin}/recaptcha/api/siteverify`,
    response: (req) => req.body['g-recaptcha-response'],
  }),
  { logger: false },
)
const validator = nest.get(GoogleRecaptchaValidator)

/** What the documentation of Cap and Turnstile has a server ask. */
async function ask(path, response) {
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, response }),
  })
  return (await answer.json()).success === true
}

const form = (head, inside) =>
  `<!doctype html><title>Shop</title>${head}<form method="post">${inside}<button>Send</button></form>`
/** A page on which a provider of @better-captcha/core renders its widget into the form. */
const rendered = (script, file, name, given) =>
  form(
    `<script src="${origin}${script}" defer></script>`,
    `<div id="place"></div><script type="module">
      import { ${name} } from '/better-captcha/providers/${file}/index.js'
      const provider = new ${name}('${given}', { autoLoad: false })
      await provider.init()
      await provider.render(document.querySelector('#place'), {})
    </script>`,
  )

const PAGES = {
  '/better-auth': {
    html: form(
      `<script src="${origin}/turnstile/v0/api.js" async defer></script>`,
      `<div class="cf-turnstile" data-sitekey="${sitekey}"></div>`,
    ),
    judge: (fields) => signUp(fields.get('cf-turnstile-response') ?? ''),
  },
  '/nestjs': {
    html: form(
      `<script src="${origin}/recaptcha/api.js" async defer></script>`,
      `<div class="g-recaptcha" data-sitekey="${sitekey}"></div>`,
    ),
    judge: async (fields) =>
      (await validator.validate({ response: fields.get('g-recaptcha-response') ?? '' })).success,
  },
  '/better-captcha-cap': {
    html: rendered(
      '/assets/compat.js?as=cap&v=1',
      'cap-widget',
      'CapWidgetProvider',
      `${origin}/${sitekey}/`,
    ),
    judge: (fields) => ask(`/${sitekey}/siteverify`, fields.get('cap-token')),
  },
  '/better-captcha-turnstile': {
    html: rendered('/turnstile/v0/api.js', 'turnstile', 'TurnstileProvider', sitekey),
    judge: (fields) => ask('/turnstile/v0/siteverify', fields.get('cf-turnstile-response')),
  },
}

createServer(async (req, res) => {
  const page = PAGES[req.url]
  if (req.url.startsWith('/better-captcha/')) {
    const file = normalize(req.url).slice('/better-captcha/'.length)
    const code = await readFile(join(modules, '@better-captcha/core/dist', file))
    return res.setHeader('content-type', 'text/javascript').end(code)
  }
  if (!page) return res.writeHead(404).end()
  if (req.method === 'GET') return res.setHeader('content-type', 'text/html').end(page.html)
  const isAccepted = await page.judge(new URLSearchParams(await text(req))).catch(() => false)
  res.writeHead(isAccepted ? 200 : 422).end(isAccepted ? 'accepted' : 'refused')
}).listen(Number(port), '127.0.0.1', () => console.log('listening'))
