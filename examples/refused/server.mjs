/**
 * A customer's server with a way through for visitors who are refused: a link by mail, an accessibility page that needs no script,
 * and a form without JavaScript for visitors whom the server knows. A link of `hv pass issue` also works here.
 *
 *     hv pass keygen                       # the line that it prints goes to the site in config/demo.yaml
 *     npm start                            # the service, on 127.0.0.1:8080
 *     node examples/refused/server.mjs     # this, on 127.0.0.1:8082
 *
 * HV_URL: where the service is. PORT: where this listens; 0 picks a free one. HV_PASS_KEY: the file of `hv pass keygen`. Mails are lines on
 * standard output.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { SignJWT } from 'jose'
import { verify } from '@human-verification/client'

const {
  HV_URL = 'http://127.0.0.1:8080',
  PORT = '8082',
  HV_SITEKEY = 'hv_site_demopx-kFQkgnI3lniO4',
} = process.env
/** Of the demonstration's site, published on purpose. Yours comes from where you keep secrets. */
const { HV_SECRET = 'hv_secret_demo_vke3pF6jgFUNwiJDlZ0oQoLgYoq_lj3obRpreV0sW6M' } = process.env
const MOST_BYTES = 16_384

/** The private key of `hv pass keygen`. */
const key = JSON.parse(readFileSync(process.env.HV_PASS_KEY ?? 'pass-key.json', 'utf8'))

/** A pass for one visitor. */
const issued = () =>
  new SignJWT({
    aud: HV_SITEKEY,
    action: 'sign-up',
    hostname: '127.0.0.1',
    jti: randomBytes(16).toString('base64url'),
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'pass+jwt', kid: key.kid })
    .setIssuedAt()
    .setExpirationTime('30m')
    .sign(key)

/** Codes that were mailed, each with its address; and who came with one. Yours live in your database, and end. */
const codes = new Map()
const sessions = new Map()
const mail = (to, link) => console.log(`mail to ${to}: ${link}`)

const page = (title, body) =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,"><main><h1>${title}</h1>${body}</main></html>`

const formPage = (known) =>
  page(
    'Sign up',
    `<form method="post" action="/sign-up">
<p><label>Email <input name="email" type="email" autocomplete="email" required></label></p>
<div class="svc-captcha" data-sitekey="${HV_SITEKEY}" data-action="sign-up" data-api-base="${HV_URL}/"></div>
${known ? `<noscript><input type="hidden" name="svc-response" value="${known}"></noscript>` : '<noscript><p>Without JavaScript, <a href="/other-ways">ask for a link</a> first.</p></noscript>'}
<p><button>Send</button></p></form>
<p><a href="/other-ways">Other ways to sign up</a></p>
<script src="${HV_URL}/assets/captcha.js" defer></script>`,
  )

/** The accessibility page: no widget, no script, and another channel beside the mail. */
const OTHER_WAYS = page(
  'Other ways to sign up',
  `<p>Nobody has to pass a check to reach us. We send you a link that lets you in, or you call us: 01234 56789.</p>
<form method="post" action="/link"><p><label>Your email <input name="email" type="email" autocomplete="email" required></label></p>
<p><button>Send me a link</button></p></form>`,
)

/** Three outcomes, three texts: accepted, not judged, refused with something to do next. */
async function signUp(fields) {
  const visitor = await verify({
    url: HV_URL,
    secret: HV_SECRET,
    response: fields.get('svc-response'),
    action: 'sign-up',
    hostnames: ['127.0.0.1'],
  })
  // The account would be made here, and only here.
  if (visitor.accepted) return [200, page('Thank you', '<p>We have your request.</p>')]
  if (visitor.retryable)
    return [
      503,
      page('Temporarily unavailable', '<p>Please try again in a moment.</p>'),
      { 'retry-after': '5' },
    ]
  const next =
    '<p>We could not accept your request automatically. <a href="/other-ways">Other ways to sign up</a></p>'
  return [422, page('Not accepted', next)]
}

/** The e-mail loop: who can read the mail may send the form, with scripts or without. */
async function sendLink(fields, base) {
  const to = fields.get('email') ?? ''
  const code = randomUUID()
  codes.set(code, to)
  mail(to, `${base}/#hv=${await issued()}`)
  mail(to, `${base}/enter?code=${code}`)
  return [
    200,
    page(
      'We sent you a link',
      '<p>Look into your mail. The second link is for browsers without JavaScript.</p>',
    ),
  ]
}

/** Known by the mailed code from here on. The code is used up. */
function enter(code) {
  if (!codes.delete(code))
    return [410, page('This link is over', '<p><a href="/other-ways">Ask for another</a></p>')]
  const session = randomUUID()
  sessions.set(session, true)
  return [
    303,
    '',
    { location: '/', 'set-cookie': `session=${session}; HttpOnly; SameSite=Lax; Path=/` },
  ]
}

async function answer(req, base) {
  const { pathname, searchParams } = new URL(req.url, base)
  const session = /(?:^|; )session=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1]
  if (req.method === 'POST') {
    let body = ''
    for await (const chunk of req) if ((body += chunk).length > MOST_BYTES) return [413, '']
    const fields = new URLSearchParams(body)
    if (pathname === '/sign-up') return signUp(fields)
    if (pathname === '/link') return sendLink(fields, base)
  }
  if (pathname === '/') return [200, formPage(sessions.has(session) ? await issued() : undefined)]
  if (pathname === '/other-ways') return [200, OTHER_WAYS]
  if (pathname === '/enter') return enter(searchParams.get('code') ?? '')
  return [404, page('Not found', '')]
}

const server = createServer((req, res) => {
  const base = `http://127.0.0.1:${server.address().port}`
  answer(req, base)
    .then(([status, text, headers]) => {
      // A page with a pass belongs to one visitor.
      res
        .writeHead(status, {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          ...headers,
        })
        .end(text)
    })
    .catch(() => res.destroy())
})
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
)
