// @nestlab/google-recaptcha's validator in a Nest application with another `network`, asked once per case.
import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { GoogleRecaptchaModule, GoogleRecaptchaValidator } from '@nestlab/google-recaptcha'

const { url, options = {}, cases } = JSON.parse(process.argv[2])
const outcomes = []
for (const { secret, response } of cases) {
  const module = GoogleRecaptchaModule.forRoot({
    response: (req) => req.body.recaptcha,
    secretKey: secret,
    network: url,
    ...options,
  })
  const app = await NestFactory.createApplicationContext(module, { logger: false })
  outcomes.push(
    await app
      .get(GoogleRecaptchaValidator)
      .validate({ response })
      .then(({ success, ...said }) => ({ accepted: success, said: JSON.stringify(said) }))
      .catch((error) => ({ accepted: false, said: `threw ${error.message}` })),
  )
  await app.close()
}
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
