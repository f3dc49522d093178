/**
 * Client libraries of other services, unmodified, from the registries, with our address: they accept a genuine
 * visitor once, and no one else. docs/start/migrate.md lists them with these versions.
 */
import { beforeAll, describe, expect, test } from '@jest/globals'
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

interface Library {
  /** As docs/start/migrate.md names it. */
  readonly name: string
  readonly script: string
  readonly question?: object
  /** Options that make it refuse a visitor of another action; undefined: it knows no actions. */
  readonly otherAction?: object
}

const ofNode = (
  library: string,
  options?: object,
  otherOptions?: object,
  name = library,
): Library => ({
  name,
  script: 'servers.mjs',
  question: { library, options },
  ...(otherOptions && { otherAction: { library, options: otherOptions } }),
})
const betterAuth = (provider: string, ...options: readonly object[]): Library => {
  const [own, other] = options.map((each) => ({ provider, ...each }))
  return ofNode('better-auth', own ?? { provider }, other, `better-auth, ${provider}`)
}
const expecting = ['sign-up', 'log-in'].map((action) => ({
  expectedAction: action,
  allowedHostnames: ['shop.example.com'],
}))

const LIBRARIES: readonly Library[] = [
  betterAuth('google-recaptcha', ...expecting),
  betterAuth('cloudflare-turnstile', ...expecting),
  betterAuth('hcaptcha'),
  betterAuth('captchafox'),
  ofNode('google-recaptcha'),
  ofNode(
    '@nestlab/google-recaptcha',
    { actions: ['sign-up'], score: 0.5 },
    { actions: ['log-in'], score: 0.5 },
  ),
  ofNode('cf-turnstile'),
  ofNode('@cloudflare/pages-plugin-turnstile'),
  ofNode('@cloudflare/pages-plugin-hcaptcha'),
  { name: 'Flask-WTF (Python)', script: 'flask_form.py' },
  {
    name: 'google/recaptcha (PHP)',
    script: 'recaptcha.php',
    question: { options: { hostname: 'shop.example.com', action: 'sign-up' } },
    otherAction: { options: { hostname: 'shop.example.com', action: 'log-in' } },
  },
]

/** Flask-WTF is there for Debian's own Python alone. */
function programOf(script: string): string {
  if (script.endsWith('.php')) return needProgram('php')
  return script.endsWith('.py') ? '/usr/bin/python3' : process.execPath
}
const run = (
  { script }: Library,
  question: object,
  cases: Parameters<typeof ask>[2]['cases'],
  at = url,
) => ask(programOf(script), script, { url: at, cases, ...question })
const accepted = (outcomes: readonly Outcome[]): boolean[] =>
  outcomes.map((outcome) => outcome.accepted)

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
    expect([accepted(outcomes), outcomes]).toEqual([
      [true, false, false, false, false, true],
      expect.anything(),
    ])
    // A visitor's rubbish is no fault of the customer's server.
    expect(outcomes[4]!.said).not.toMatch(/threw|Exception/)
  }, 90_000)

  test('refuses when the service cannot be reached', async () => {
    const cases = [{ secret: SECRET, response: await token(service.ask) }]
    expect(
      accepted(await run(library, question, cases, 'http://127.0.0.1:9/api/v1/siteverify')),
    ).toEqual([false])
  }, 90_000)

  if (otherAction) {
    test('refuses a visitor of another action', async () => {
      const cases = [{ secret: SECRET, response: await token(service.ask) }]
      expect(accepted(await run(library, otherAction, cases))).toEqual([false])
    }, 90_000)
  }
})
