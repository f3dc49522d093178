// Client libraries of npm: one question each, as their documentation shows it. Prints `accepted`, or what the library said.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , library, secret, response] = process.argv
const require = createRequire(join(process.env.HV_MODULES, 'index.js'))

/** A version of express-recaptcha, which reads the form of a request. */
const ofExpress = (version) => () => {
  const Recaptcha = require('express-recaptcha')[version]
  const body = { 'g-recaptcha-response': response }
  return new Promise((resolve) =>
    new Recaptcha('sitekey', secret).verify({ body }, (error) => resolve(error ?? 'accepted')),
  )
}
const spelled = ({ success, 'error-codes': codes }) =>
  success === true ? 'accepted' : codes.join()

const LIBRARIES = {
  'express-recaptcha v2': ofExpress('RecaptchaV2'),
  'express-recaptcha v3': ofExpress('RecaptchaV3'),
  hcaptcha: async () => spelled(await require('hcaptcha').verify(secret, response)),
  async 'cf-turnstile'() {
    const apiUrl = `${process.env.HV_ORIGIN}/turnstile/v0/siteverify`
    const { success, errors } = await require('cf-turnstile')(secret, { apiUrl })(response)
    return spelled({ success, 'error-codes': errors })
  },
}

const said = await LIBRARIES[library]().catch(({ message }) => `threw: ${message}`)
process.stdout.write(said)
