// Libraries that ask by `fetch`, asked once per case; their answers as one line of JSON.
import cfTurnstile from 'cf-turnstile'
import hCaptchaPlugin from '@cloudflare/pages-plugin-hcaptcha'
import turnstilePlugin from '@cloudflare/pages-plugin-turnstile'

const { url, cases, library } = JSON.parse(process.argv[2])
const own = fetch
// The plugins' address is fixed in their code: a gateway that leads it here.
globalThis.fetch = (_fixed, init) => own(url, init)

/** Runs a plugin of Cloudflare Pages on a form; what it lets through says 200. */
async function onPages(plugin, secret, field, response) {
  const body = new URLSearchParams({ [field]: response })
  const answer = await plugin({ secret })({
    request: new Request('https://shop.example.com/', { method: 'POST', body }),
    functionPath: '',
    data: {},
    next: () => new Response('let through'),
    waitUntil() {},
    passThroughOnException() {},
  })
  return { accepted: answer.status === 200, said: await answer.text() }
}

const LIBRARIES = {
  async 'cf-turnstile'(secret, response) {
    const said = await cfTurnstile(secret, { apiUrl: url })(response)
    return { accepted: said.success, said: JSON.stringify(said) }
  },
  '@cloudflare/pages-plugin-turnstile': (...one) => onPages(turnstilePlugin, one[0], 'cf-turnstile-response', one[1]),
  '@cloudflare/pages-plugin-hcaptcha': (...one) => onPages(hCaptchaPlugin, one[0], 'h-captcha-response', one[1]),
}

const outcomes = []
for (const { secret, response } of cases)
  outcomes.push(
    await LIBRARIES[library](secret, response).catch((error) => ({ accepted: false, said: `threw ${error.message}` })),
  )
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
