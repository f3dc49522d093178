// A sign-up that better-auth's captcha plugin protects, asked once per case; its answers as one line of JSON.
import { betterAuth } from 'better-auth'
import { captcha } from 'better-auth/plugins'

const { url, provider, options = {}, cases } = JSON.parse(process.argv[2])
const quiet = { disabled: true }
const outcomes = []
for (const { secret, response } of cases) {
  const auth = betterAuth({
    baseURL: 'http://localhost:3000',
    secret: 'for-this-test-only-and-long-enough-to-be-taken',
    logger: quiet,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    plugins: [captcha({ provider, secretKey: secret, siteVerifyURLOverride: url, ...options })],
  })
  const res = await auth.handler(
    new Request('http://localhost:3000/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-captcha-response': response, origin: 'http://localhost:3000' },
      body: JSON.stringify({ name: 'A', email: `a${outcomes.length}@example.com`, password: 'correct horse battery' }),
    }),
  )
  outcomes.push({ accepted: res.status === 200, said: `${res.status} ${(await res.text()).slice(0, 200)}` })
}
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
