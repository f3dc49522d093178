// A client library of npm, asked as its documentation shows it: a line of JSON for each question, and one for its answer, which is
// `accepted`, or what the library said.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [, , library] = process.argv
const require = createRequire(join(process.env.HV_MODULES, 'index.js'))

/** A version of express-recaptcha, which reads the form of a request. */
const ofExpress = (version) => (secret, response) => {
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
  hcaptcha: async (secret, response) => spelled(await require('hcaptcha').verify(secret, response)),
  async 'cf-turnstile'(secret, response) {
    const apiUrl = `${process.env.HV_ORIGIN}/turnstile/v0/siteverify`
    const { success, errors } = await require('cf-turnstile')(secret, { apiUrl })(response)
    return spelled({ success, 'error-codes': errors })
  },
}

for await (const line of createInterface(process.stdin)) {
  const { secret, response } = JSON.parse(line)
  const said = LIBRARIES[library](secret, response).catch(({ message }) => `threw: ${message}`)
  console.log(JSON.stringify(await said))
}
