/** packages/keycloak in the real Keycloak, with the real service and Chromium. docs/start/keycloak.md is what an administrator reads. */
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { SECRET, site, SITEKEY, testService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { closeLater } from '../support/close-later.ts'
import { ROOT } from '../support/root.ts'
import { configure, FLOWS, type FormName, protect, type Settings } from './flows.ts'
import { type Keycloak, startKeycloak } from './start.ts'

const REFUSED = 'We could not process your request.'
const UNAVAILABLE = 'temporarily unavailable'
const REALM = 'shop'
const FIELD = 'g-recaptcha-response'
const PASSWORD = 'correct horse'

/** What siteverify does when it is not itself. */
const FAULTS = {
  'breaks the connection': (res: ServerResponse) => res.destroy(),
  'never answers': () => {},
  'answers 500': (res: ServerResponse) => res.writeHead(500).end(),
  'redirects to an acceptance': (res: ServerResponse) =>
    res.writeHead(302, { location: '/accepted' }).end(),
  'accepts in another shape': (res: ServerResponse) => res.end('{"success":true}'),
  'accepts in words': (res: ServerResponse) => res.end('{"success":"true","error-codes":[]}'),
  'answers no JSON': (res: ServerResponse) => res.end('<h1>success</h1>'),
}
type Fault = keyof typeof FAULTS

/** The service as Keycloak reaches it, with a fault of its siteverify. */
async function startFront(service: string) {
  const front: { origin: string; fault: Fault | undefined } = { origin: '', fault: undefined }
  const server = createServer((req, res) => {
    const { url = '', method, headers } = req
    if (front.fault !== undefined) return void FAULTS[front.fault](res)
    const passedOn = request(service + url, { method, headers }, (given) => {
      res.writeHead(given.statusCode!, given.headers)
      given.pipe(res)
    })
    req.pipe(passedOn)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(server, (it) => {
    it.close()
    it.closeAllConnections()
  })
  front.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return front
}

let keycloak: Keycloak
let front: Awaited<ReturnType<typeof startFront>>
let settings: Settings
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  // The score of a driven browser does not matter.
  const people = site({ hostnames: ['localhost', '127.0.0.1'], scoreThreshold: 0 })
  const assets = loadAssets(join(ROOT, 'dist/assets'))
  const service = await testService({ siteList: [people], assets })
  front = await startFront(service.base)
  settings = { service: front.origin, public: service.base, sitekey: SITEKEY, secret: SECRET }
  keycloak = await startKeycloak()
  const client = { clientId: 'shop', publicClient: true, redirectUris: ['*'] }
  const [firstName, lastName, email] = ['Ada', 'Lovelace', 'ada@example.com']
  const credentials = [{ type: 'password', value: PASSWORD }]
  await keycloak.admin('POST', '', {
    realm: REALM,
    enabled: true,
    registrationAllowed: true,
    resetPasswordAllowed: true,
    bruteForceProtected: true,
    eventsEnabled: true,
    clients: [client],
    users: [{ username: 'ada', enabled: true, firstName, lastName, email, credentials }],
  })
  for (const form of Object.keys(FLOWS) as FormName[])
    await protect(keycloak, REALM, form, settings)
  browser = await launch()
}, 420_000)
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  page.setDefaultTimeout(30_000)
})
afterEach(() => context.close())

/** The query of a page that comes back to the realm's own address with a code. */
const client = (host: string) =>
  `?client_id=shop&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(`http://${host}/realms/${REALM}`)}`

let people = 0
/** Where each form is, what a new visitor enters, and what the answer has once it is accepted. */
const FORMS: Readonly<
  Record<FormName, { at: string; fields: () => Record<string, string>; done: RegExp }>
> = {
  login: {
    at: 'protocol/openid-connect/auth',
    fields: () => ({ username: 'ada', password: PASSWORD }),
    done: /[?&]code=/,
  },
  registration: {
    at: 'protocol/openid-connect/registrations',
    fields: () => ({
      username: `new${++people}`,
      password: PASSWORD,
      'password-confirm': PASSWORD,
      email: `new${people}@example.com`,
      firstName: 'New',
      lastName: 'Person',
    }),
    done: /[?&]code=/,
  },
  'reset-credentials': {
    at: 'login-actions/reset-credentials',
    fields: () => ({ username: `unknown${++people}` }),
    done: /You should receive an email shortly/,
  },
}

const addressOf = (form: FormName, host: string) =>
  `http://${host}/realms/${REALM}/${FORMS[form].at}${client(host)}`
const hostOf = () => new URL(keycloak.url).host

/** Opens a form. @returns its action. */
async function open(form: FormName, host = hostOf()): Promise<string> {
  await page.goto(addressOf(form, host))
  const own = page.locator('form:has(input[name="username"])')
  return (await own.getAttribute('action'))!
}

/** Fills in a form as a person does, and presses its button. @returns the answer with its address, and the token that was sent. */
async function visit(form: FormName, fields = FORMS[form].fields()) {
  const action = await open(form)
  await page.locator('.svc-captcha').waitFor()
  for (const [name, value] of Object.entries(fields))
    await page.locator(`[name="${name}"]`).fill(value)
  const posted = page.waitForRequest((one) => one.method() === 'POST' && one.url() === action)
  const loaded = page.waitForEvent('load')
  await page.locator('form:has(input[name="username"]) [type="submit"]').click()
  const token = new URLSearchParams((await posted).postData() ?? '').get(FIELD) ?? ''
  await loaded
  return { said: `${page.url()} ${await page.content()}`, token }
}

/** Sends a form as a program does, from a page of its own. @returns the answer with its address. */
async function post(form: FormName, token?: string, fields = FORMS[form].fields()) {
  await context.clearCookies()
  const action = await open(form)
  const sent = { ...fields, ...(token !== undefined && { [FIELD]: token }) }
  const answer = await context.request.post(action, { form: sent })
  return `${answer.url()} ${await answer.text()}`
}

/** A token that the widget of a form got. */
async function tokenOf(form: FormName, host = hostOf()): Promise<string> {
  await context.clearCookies()
  await open(form, host)
  await page.waitForFunction('globalThis.svcCaptcha')
  return page.evaluate(
    `new Promise((done) => svcCaptcha.ready(done)).then(() => svcCaptcha.execute())`,
  )
}

describe.each(Object.keys(FLOWS) as FormName[])('%s', (form) => {
  const { done } = FORMS[form]

  test('accepts a person once: not the token again, no token, one of another form or hostname', async () => {
    const { said, token } = await visit(form)
    expect(said).toMatch(done)
    const other = await tokenOf(form === 'login' ? 'registration' : 'login')
    const elsewhere = await tokenOf(form, hostOf().replace('localhost', '127.0.0.1'))
    for (const given of [token, undefined, 'not-a-token', other, elsewhere]) {
      const answer = await post(form, given)
      expect(answer).toContain(REFUSED)
      expect(answer).not.toMatch(done)
    }
  })
  test('refuses a person while the secret is wrong, and while nothing is set', async () => {
    const wrong = { ...settings, secret: `hv_secret_${'W'.repeat(43)}` }
    try {
      await configure(keycloak, REALM, form, wrong)
      const { said } = await visit(form)
      expect(said).toContain(UNAVAILABLE)
      expect(said).not.toMatch(done)
      await configure(keycloak, REALM, form, {})
      const answer = await post(form, 'any')
      expect(answer).toContain(UNAVAILABLE)
      expect(answer).not.toMatch(done)
    } finally {
      await configure(keycloak, REALM, form, settings)
    }
  })
  test.each(Object.keys(FAULTS) as Fault[])('refuses while siteverify %s', async (fault) => {
    const token = await tokenOf(form)
    front.fault = fault
    try {
      const answer = await post(form, token)
      expect(answer).toContain(fault.startsWith('accepts') ? REFUSED : UNAVAILABLE)
      expect(answer).not.toMatch(done)
    } finally {
      front.fault = undefined
    }
  })
})

describe('what an administrator meets', () => {
  interface Event {
    readonly type: string
    readonly error: string
  }

  test('an event names the rule, and a refusal counts as no wrong password', async () => {
    const { admin } = keycloak
    const [ada] = await admin<{ id: string }[]>('GET', `/${REALM}/users?username=ada`)
    const failures = async () => {
      const at = `/${REALM}/attack-detection/brute-force/users/${ada!.id}`
      return (await admin<{ numFailures: number }>('GET', at)).numFailures
    }
    await admin('DELETE', `/${REALM}/attack-detection/brute-force/users`)
    await admin('DELETE', `/${REALM}/events`)
    // The second form of one session already knows whose it is.
    await visit('login', { username: 'ada', password: 'wrong' })
    expect(await failures()).toBe(1)
    const again = await page.locator('#kc-form-login').getAttribute('action')
    const answer = await context.request.post(again!, { form: FORMS.login.fields() })
    expect(await answer.text()).toContain(REFUSED)
    expect(await failures()).toBe(1)
    const events = await admin<Event[]>('GET', `/${REALM}/events`)
    expect(events.map(({ type, error }) => [type, error])).toEqual([
      ['LOGIN_ERROR', 'human_verification_response'],
      ['LOGIN_ERROR', 'invalid_user_credentials'],
    ])
  })

  test('the token is no attribute of a user, where a realm takes every attribute', async () => {
    const { admin } = keycloak
    const profile = await admin<object>('GET', `/${REALM}/users/profile`)
    const all = { ...profile, unmanagedAttributePolicy: 'ENABLED' }
    await admin('PUT', `/${REALM}/users/profile`, all)
    const { said } = await visit('registration')
    expect(said).toMatch(FORMS.registration.done)
    const [user] = await admin<object[]>('GET', `/${REALM}/users?username=new${people}`)
    expect(user).toMatchObject({ username: `new${people}` })
    expect(JSON.stringify(user)).not.toContain(FIELD)
  })

  test('a Content-Security-Policy that lists the service is enough', async () => {
    const { public: service } = settings
    const policy = `default-src 'self'; script-src 'self' 'unsafe-inline' ${service}; style-src 'self' 'unsafe-inline'; connect-src 'self' ${service}; worker-src blob:; frame-ancestors 'self'; object-src 'none'`
    const headers = { contentSecurityPolicy: policy }
    await keycloak.admin('PUT', `/${REALM}`, { browserSecurityHeaders: headers })
    expect((await visit('login')).said).toMatch(FORMS.login.done)
  })

  test('the older theme has the box too', async () => {
    await keycloak.admin('PUT', `/${REALM}`, { loginTheme: 'keycloak' })
    for (const form of Object.keys(FORMS) as FormName[]) {
      await context.clearCookies()
      expect((await visit(form)).said).toMatch(FORMS[form].done)
    }
    await keycloak.admin('PUT', `/${REALM}`, { loginTheme: '' })
  })

  test('the way in while the service is away: kcadm binds the flow without a check', async () => {
    await protect(keycloak, 'master', 'login', settings)
    front.fault = 'breaks the connection'
    const console = `${keycloak.url}/admin/master/console/`
    const logIn = async () => {
      await context.clearCookies()
      await page.goto(console)
      await page.locator('[name="username"]').fill('admin')
      await page.locator('[name="password"]').fill(PASSWORD)
      await page.locator('#kc-login').click()
    }
    await logIn()
    await page.getByText(UNAVAILABLE).waitFor()
    await keycloak.kcadm('update', 'realms/master', '-s', 'browserFlow=browser')
    await logIn()
    await page.waitForURL((url) => url.href.startsWith(console))
    expect(page.url()).toContain(console)
    front.fault = undefined
  })
})
