/**
 * Client libraries of other services, unmodified, from the registries, told another address: they accept a genuine
 * visitor once, and nobody else. docs/start/migrate.md lists them with these versions.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { site, SECRET, testService, type TestService } from '../../support/app.ts'
import { ensurePrograms, needProgram } from '../../support/programs.mjs'
import { token } from '../../support/visitor.ts'
import { ask, installThirdParty, type Outcome } from './third-party.ts'

let service: TestService
let url: string
beforeAll(async () => {
  installThirdParty()
  ensurePrograms(['php', 'phpRecaptcha', 'flaskWtf'])
  service = await testService({ siteList: [site({ hostnames: ['shop.example.com'] })] })
  url = `${service.base}/api/v1/siteverify`
}, 300_000)
afterAll(() => service.stop(0))

interface Library {
  /** As docs/start/migrate.md names it. */
  readonly name: string
  readonly script: string
  readonly question?: object
  /** Options that make it refuse a visitor of another action; undefined: it knows no actions. */
  readonly otherAction?: object
}

const expecting = (action: string) => ({ expectedAction: action, allowedHostnames: ['shop.example.com'] })
const betterAuth = (provider: string, options?: (action: string) => object): Library => ({
  name: `better-auth, ${provider}`,
  script: 'better-auth.mjs',
  question: { provider, ...(options && { options: options('sign-up') }) },
  ...(options && { otherAction: { provider, options: options('log-in') } }),
})

const LIBRARIES: readonly Library[] = [
  betterAuth('google-recaptcha', expecting),
  betterAuth('cloudflare-turnstile', expecting),
  betterAuth('hcaptcha'),
  betterAuth('captchafox'),
  { name: 'google-recaptcha', script: 'google-recaptcha.mjs' },
  {
    name: '@nestlab/google-recaptcha',
    script: 'nestlab.mjs',
    question: { options: { actions: ['sign-up'], score: 0.5 } },
    otherAction: { options: { actions: ['log-in'], score: 0.5 } },
  },
  ...['cf-turnstile', '@cloudflare/pages-plugin-turnstile', '@cloudflare/pages-plugin-hcaptcha'].map((name) => ({
    name,
    script: 'cloudflare.mjs',
    question: { library: name },
  })),
  { name: 'Flask-WTF (Python)', script: 'flask_form.py' },
  {
    name: 'google/recaptcha (PHP)',
    script: 'recaptcha.php',
    question: { options: { hostname: 'shop.example.com', action: 'sign-up' } },
    otherAction: { options: { hostname: 'shop.example.com', action: 'log-in' } },
  },
]

/** Flask-WTF is there for Debian's own Python alone. */
const programOf = (script: string): string =>
  script.endsWith('.php') ? needProgram('php') : script.endsWith('.py') ? '/usr/bin/python3' : process.execPath
const run = ({ script }: Library, question: object, cases: Parameters<typeof ask>[2]['cases'], at = url) =>
  ask(programOf(script), script, { url: at, cases, ...question })
const accepted = (outcomes: readonly Outcome[]): boolean[] => outcomes.map((outcome) => outcome.accepted)

describe.each(LIBRARIES)('$name', (library) => {
  const { question = {}, otherAction } = library

  test('accepts a visitor once, and refuses the same token, a robot, another secret and rubbish', async () => {
    const [genuine, other] = [await token(service.ask), await token(service.ask)]
    const robot = await token({ ...service.ask, signals: {}, headers: {} })
    const outcomes = await run(library, question, [
      { secret: SECRET, response: genuine },
      { secret: SECRET, response: genuine },
      { secret: SECRET, response: robot },
      { secret: `${SECRET}x`, response: other },
      { secret: SECRET, response: 'rubbish' },
      { secret: SECRET, response: other },
    ])
    expect([accepted(outcomes), outcomes]).toEqual([[true, false, false, false, false, true], expect.anything()])
    // A visitor's rubbish is no fault of the customer's server.
    expect(outcomes[4]!.said).not.toMatch(/threw|Exception/)
  }, 90_000)

  test('refuses when the service cannot be reached', async () => {
    const cases = [{ secret: SECRET, response: await token(service.ask) }]
    expect(accepted(await run(library, question, cases, 'http://127.0.0.1:9/api/v1/siteverify'))).toEqual([false])
  }, 90_000)

  if (otherAction) {
    test('refuses a visitor of another action', async () => {
      const cases = [{ secret: SECRET, response: await token(service.ask) }]
      expect(accepted(await run(library, otherAction, cases))).toEqual([false])
    }, 90_000)
  }
})
