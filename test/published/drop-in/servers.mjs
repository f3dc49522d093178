// Server libraries of other services, with our address: each is called once per case, and prints its answers as one line of JSON.
import 'reflect-metadata'

const { library, url, options = {}, cases } = JSON.parse(process.argv[2])
const own = fetch

/** A plugin of Cloudflare Pages on a form. Its address is fixed in its code: a gateway leads it here. */
async function onPages({ default: plugin }, secret, field, response) {
  globalThis.fetch = (_fixed, init) => own(url, init)
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
  /** A sign-up that its captcha plugin protects. */
  async 'better-auth'(secret, response, index) {
    const { betterAuth } = await import('better-auth')
    const { captcha } = await import('better-auth/plugins')
    const auth = betterAuth({
      baseURL: 'http://localhost:3000',
      secret: 'for-this-test-only-and-long-enough-to-be-taken',
      logger: { disabled: true },
      telemetry: { enabled: false },
      emailAndPassword: { enabled: true },
      plugins: [captcha({ secretKey: secret, siteVerifyURLOverride: url, ...options })],
    })
    const res = await auth.handler(
      new Request('http://localhost:3000/api/auth/sign-up/email', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-captcha-response': response,
          origin: 'http://localhost:3000',
        },
        body: JSON.stringify({
          name: 'A',
          email: `a${index}@example.com`,
          password: 'correct horse battery',
        }),
      }),
    )
    return {
      accepted: res.status === 200,
      said: `${res.status} ${(await res.text()).slice(0, 200)}`,
    }
  },
  async 'google-recaptcha'(secret, response) {
    const { default: GoogleRecaptcha } = await import('google-recaptcha')
    const recaptcha = new GoogleRecaptcha({ secret, apiUrl: url, logger: () => {} })
    return new Promise((resolve, reject) => {
      // Without an answer, its callback reads a property of undefined.
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', reject)
      recaptcha.verify({ response, remoteIp: '' }, (error, body) =>
        resolve({
          accepted: error === null && body.success === true,
          said: error?.message ?? JSON.stringify(body),
        }),
      )
    })
  },
  /** Its validator in a Nest application. */
  async '@nestlab/google-recaptcha'(secret, response) {
    const { NestFactory } = await import('@nestjs/core')
    const { GoogleRecaptchaModule, GoogleRecaptchaValidator } =
      await import('@nestlab/google-recaptcha')
    const module = GoogleRecaptchaModule.forRoot({
      response: (req) => req.body.recaptcha,
      secretKey: secret,
      network: url,
      ...options,
    })
    const app = await NestFactory.createApplicationContext(module, { logger: false })
    const { success, ...said } = await app.get(GoogleRecaptchaValidator).validate({ response })
    await app.close()
    return { accepted: success, said: JSON.stringify(said) }
  },
  async 'cf-turnstile'(secret, response) {
    const { default: cfTurnstile } = await import('cf-turnstile')
    const said = await cfTurnstile(secret, { apiUrl: url })(response)
    return { accepted: said.success, said: JSON.stringify(said) }
  },
  '@cloudflare/pages-plugin-turnstile': async (secret, response) =>
    onPages(
      await import('@cloudflare/pages-plugin-turnstile'),
      secret,
      'cf-turnstile-response',
      response,
    ),
  '@cloudflare/pages-plugin-hcaptcha': async (secret, response) =>
    onPages(
      await import('@cloudflare/pages-plugin-hcaptcha'),
      secret,
      'h-captcha-response',
      response,
    ),
}

const outcomes = []
for (const [index, { secret, response }] of cases.entries()) {
  const threw = (error) => ({ accepted: false, said: `threw ${error.message}` })
  outcomes.push(await LIBRARIES[library](secret, response, index).catch(threw))
}
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
