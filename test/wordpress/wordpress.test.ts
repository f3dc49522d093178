/** The plug-in in Debian's WordPress, with the real service and Chromium. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Sitekey } from '../../src/domain/words.ts'
import { loadAssets } from '../../src/http/assets.ts'
import { site, testService, type TestService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { pass, PASS_KEY } from '../support/pass.ts'
import { ROOT } from '../support/root.ts'
import { startWordPress, type WordPress } from './start.ts'

const secretOf = (name: string): string => `hv_secret_${name.repeat(43).slice(0, 43)}`
const siteOf = (name: string, change: object) =>
  site({ sitekey: `hv_site_${name}` as Sitekey, hostnames: ['localhost'], ...change }, secretOf(name))
/** Playwright's browser is a driver's and scores like one: `people` lets it in, `drivers` has the usual threshold. */
const SITES = [
  siteOf('people', { scoreThreshold: 0 }),
  siteOf('drivers', { scoreThreshold: 0.5, passKeys: [PASS_KEY] }),
  siteOf('tickets', { scoreThreshold: 0.5, stepUp: 'ticket' }),
]
const REFUSED = 'We could not process your request. Please try again.'
const UNAVAILABLE = 'temporarily unavailable'
const CORE = ['login', 'registration', 'lost-password', 'comment', 'comment-members']

let wordpress: WordPress
let service: TestService
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
  // The ledger's generation is older than a pass by a minute.
  service.parts.ledger.beganAt = () => 1 as never
  wordpress = await startWordPress()
  browser = await launch()
}, 300_000)
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
})
afterEach(() => context.close())

/** Sets wp-config.php for a site of the service, and the forms that are protected. */
async function use(name: string, forms: readonly string[] = CORE, lines = '', url = service.base): Promise<void> {
  wordpress.configure(
    `define( 'HV_URL', '${url}' ); define( 'HV_SITEKEY', 'hv_site_${name}' ); define( 'HV_SECRET', '${secretOf(name)}' ); ${lines}`,
  )
  await wordpress.php(
    `update_option( 'human_verification', array( 'forms' => explode( ',', '${forms.join(',')}' ) ) );`,
  )
}

let people = 0
/** Where a form is, where it is sent to, the address of an accepted one, its fields for a new visitor, and its button. */
const formAt = (
  at: () => string,
  to: string,
  done: RegExp,
  fields: () => Readonly<Record<string, string>>,
  button = '#wp-submit',
) => ({ at, to, done, fields, button })
type Form = ReturnType<typeof formAt>

const LOGIN = '/wp-login.php'
const login = formAt(
  () => LOGIN,
  LOGIN,
  /\/wp-admin\/profile\.php$/,
  () => ({ log: 'member', pwd: 'correct horse', 'two-factor-code': '123456' }),
)
const registration = formAt(
  () => `${LOGIN}?action=register`,
  `${LOGIN}?action=register`,
  /checkemail=registered/,
  () => ({ user_login: `new${++people}`, user_email: `new${people}@example.com` }),
)
const lostPassword = formAt(
  () => `${LOGIN}?action=lostpassword`,
  `${LOGIN}?action=lostpassword`,
  /checkemail=confirm/,
  () => ({ user_login: 'member' }),
)
const comment = formAt(
  () => wordpress.post.slice(wordpress.url.length),
  '/wp-comments-post.php',
  /#comment-\d+$/,
  () => ({ comment: `Nice, ${++people}`, author: 'Ada', email: `ada${people}@example.com` }),
  '#submit',
)
const FORMS = { login, registration, 'lost-password': lostPassword, comment }

/** Fills in a form as it stands and presses its button. @returns the token that it was sent with. */
async function send({ fields, button }: Form): Promise<string> {
  for (const [name, value] of Object.entries(fields()))
    await page.locator(`form:has(${button}) [name="${name}"]`).fill(value)
  const sent = page.waitForRequest((one) => one.method() === 'POST' && one.url().startsWith(wordpress.url))
  await page.locator(button).click()
  const token = new URLSearchParams((await sent).postData() ?? '').get('svc-response') ?? ''
  await page.waitForLoadState()
  return token
}

async function visit(form: Form): Promise<string> {
  await page.goto(wordpress.url + form.at())
  return send(form)
}

/** Sends a form as a program does. @returns the text of the answer, and where it ended. */
async function post(form: Form, token?: string): Promise<{ body: string; url: string; status: number }> {
  const more = { comment_post_ID: new URL(wordpress.post).searchParams.get('p')! }
  const answer = await context.request.post(wordpress.url + form.to, {
    form: { ...form.fields(), ...more, ...(token !== undefined && { 'svc-response': token }) },
  })
  return { body: await answer.text(), url: answer.url(), status: answer.status() }
}

/** A token that the widget of a page got, for the action of that page. */
async function tokenOf(form: Form): Promise<string> {
  await page.goto(wordpress.url + form.at())
  return page.evaluate(`new Promise((done) => svcCaptcha.ready(done)).then(() => svcCaptcha.execute())`)
}

describe.each(Object.entries(FORMS))('%s', (name, form) => {
  beforeEach(() => use('people'))

  test('lets a person in, and refuses the same token again, no token, and a token of another form', async () => {
    const token = await visit(form)
    await page.waitForURL(form.done)
    await context.clearCookies()
    await page.goto('about:blank')
    for (const given of [
      token,
      undefined,
      'not-a-token',
      await tokenOf(name === 'registration' ? login : registration),
    ]) {
      await context.clearCookies()
      const { body, url } = await post(form, given)
      expect(body).toContain(REFUSED)
      expect(url).not.toMatch(form.done)
    }
  }, 90_000)

  test('refuses a stock driver, and keeps what was entered as WordPress does', async () => {
    await use('drivers')
    await visit(form)
    await page.getByText(REFUSED).waitFor()
    if (name === 'comment') await page.getByText('« Back').click()
    const [field, value] = Object.entries(form.fields())[0]!
    await expect(page.locator(`form:has(${form.button}) [name="${field}"]`).inputValue()).resolves.toContain(
      value.slice(0, 3),
    )
  }, 60_000)

  test('is closed while the service is down, says so, and says why in the log', async () => {
    const before = wordpress.log().length
    const token = await tokenOf(form)
    await use('people', CORE, '', 'http://127.0.0.1:1')
    expect((await post(form, token)).body).toContain(UNAVAILABLE)
    expect(wordpress.log().slice(before)).toContain(`the form "${name}" is closed`)
  }, 60_000)
})

test('a token in an array, or one of another site, is refused', async () => {
  await use('drivers')
  const token = await tokenOf(comment)
  await use('people')
  expect((await post(comment, token)).body).toContain(REFUSED)
  const answer = await fetch(`${wordpress.url}/wp-login.php`, {
    method: 'POST',
    body: new URLSearchParams([
      ['log', 'member'],
      ['pwd', 'correct horse'],
      ['svc-response[]', token],
    ]),
  })
  expect(await answer.text()).toContain(REFUSED)
}, 60_000)

test('a token counts once, also where another plug-in seeds PHP’s random numbers', async () => {
  await use('people', CORE, 'mt_srand( 7 );')
  const token = await tokenOf(lostPassword)
  expect((await post(lostPassword, token)).url).toMatch(lostPassword.done)
  expect((await post(lostPassword, token)).body).toContain(REFUSED)
}, 60_000)

test('the answer is the same for a right and a wrong password', async () => {
  await use('people')
  const [right, wrong] = [login, { ...login, fields: () => ({ log: 'member', pwd: 'wrong' }) }]
  const errorIn = ({ body }: { body: string }) => /<div id="login_error">.*?<\/div>/s.exec(body)?.[0]
  expect(errorIn(await post(right))).toBe(errorIn(await post(wrong)))
}, 60_000)

test('HV_OPEN lets an administrator in while the service is down, and no one else; the bar and the log say so', async () => {
  await use('people', CORE, `define( 'HV_OPEN', 'login' );`)
  await page.goto(`${wordpress.url}/wp-login.php`)
  await page.locator('[name=log]').fill('admin')
  await page.locator('[name=pwd]').fill('correct horse')
  await page.locator('[name=two-factor-code]').fill('123456')
  await use('people', CORE, `define( 'HV_OPEN', 'login' );`, 'http://127.0.0.1:1')
  await page.route(`${service.base}/api/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Administrators: log in without the check' }).click()
  await page.getByText('HV_OPEN: administrators log in without the check').waitFor()
  expect(wordpress.log()).toContain('an administrator logged in without the check')
  await context.clearCookies()
  expect((await post(login, 'x')).body).toContain(UNAVAILABLE)
  expect((await post({ ...login, fields: () => ({ log: 'admin', pwd: 'wrong' }) }, 'x')).body).toContain(UNAVAILABLE)
}, 60_000)

test('XML-RPC, and a reply on an administrator’s page, are not touched', async () => {
  await use('people')
  const value = (text: string) => `<param><value><string>${text}</string></value></param>`
  const call = `<methodCall><methodName>wp.getUsersBlogs</methodName><params>${value('member')}${value('correct horse')}</params></methodCall>`
  const answer = await fetch(`${wordpress.url}/xmlrpc.php`, { method: 'POST', body: call })
  expect(await answer.text()).toContain('blogName')
  const id = new URL(wordpress.post).searchParams.get('p')!
  const reply = `array( 'comment_post_ID' => ${id}, 'comment_author' => 'a', 'comment_author_email' => '', 'comment_author_url' => '', 'comment_content' => 'reply', 'user_id' => 1 )`
  expect(Number(await wordpress.php(`wp_set_current_user( 1 ); echo wp_new_comment( ${reply} );`))).toBeGreaterThan(0)
}, 60_000)

test('members comment without the check where it is switched off for them', async () => {
  await use('people', ['comment'])
  expect((await post(login)).url).toMatch(/\/wp-admin\//)
  expect((await post(comment)).url).toMatch(/#comment-/)
  await context.clearCookies()
  expect((await post(comment)).body).toContain(REFUSED)
}, 60_000)

test('two forms on one page, from a full-page cache, each with a token of its own', async () => {
  await use('people')
  const [first, second] = await Promise.all(
    [fetch(wordpress.post), fetch(wordpress.post)].map(async (one) => (await one).text()),
  )
  expect(first).toBe(second)
  expect(first!.match(/class="svc-captcha"/g)).toHaveLength(2)
  writeFileSync(join(wordpress.root, 'cached.html'), first!)
  await visit({ ...comment, at: () => '/cached.html' })
  await page.waitForURL(comment.done)
  await page.goto(wordpress.post)
  await send({ ...login, fields: () => ({ log: 'member', pwd: 'correct horse' }) })
  await page.locator('#wpadminbar').waitFor()
}, 60_000)

test('the step of a second try appears in the log-in form, and its ticket is taken', async () => {
  await use('tickets')
  await visit(login)
  await page.getByText(REFUSED).waitFor()
  expect(await page.locator('.svc-captcha[data-step-up]').count()).toBe(1)
  expect(await page.locator('[name=log]').inputValue()).toBe('member')
  expect(service.lines().some(({ step_up: step }) => step === 'asked')).toBe(true)
}, 60_000)

test('a pass opens the log-in to a visitor whom the score refuses, once', async () => {
  await use('drivers')
  const link = await pass({ aud: 'hv_site_drivers', action: 'login', hostname: 'localhost' })
  await visit({ ...login, at: () => `/wp-login.php#hv=${link}` })
  await page.waitForURL(login.done)
  await context.clearCookies()
  expect((await post(login, link)).body).toContain(REFUSED)
}, 60_000)

const OTHERS = {
  contact: 'wpcf7_form_elements',
  'wc-login': 'woocommerce_login_form',
  'wc-registration': 'woocommerce_register_form',
  'wc-lost-password': 'woocommerce_lostpassword_form',
  'wc-checkout': 'woocommerce_review_order_before_submit',
}
describe.each(Object.entries(OTHERS))('%s, by the hooks of its plug-in', (name, hook) => {
  test('accepts a visitor with a token once, and no one without', async () => {
    await use('people', Object.keys(OTHERS))
    await page.goto(`${wordpress.url}/?fixture=${name}&hook=${hook}`)
    const answer = page.waitForResponse((one) => one.request().method() === 'POST' && one.url().includes('fixture='))
    await page.getByRole('button', { name: 'Go' }).click()
    const first = (await (await answer).json()) as unknown
    expect(first).toEqual(name === 'contact' ? { spam: false } : { errors: [], notices: [] })
    const token = new URLSearchParams((await answer).request().postData()!).get('svc-response')!
    for (const form of [{ 'svc-response': token }, {}]) {
      const again = await context.request.post(`${wordpress.url}/?fixture=${name}`, {
        form: { ...form, wc_reset_password: 'true' },
      })
      expect(await again.text()).toContain(name === 'contact' ? '"spam":true' : REFUSED)
    }
  }, 60_000)
})

test('the settings page saves, keeps the secret to itself, and tests the whole path', async () => {
  wordpress.configure(`define( 'HV_OPEN', 'login' );`)
  await wordpress.php(`delete_option( 'human_verification' );`)
  const admin = { ...login, fields: () => ({ log: 'admin', pwd: 'correct horse' }) }
  await post(admin)
  const pictures = join(ROOT, 'build/wordpress')
  const open = () => page.goto(`${wordpress.url}/wp-admin/options-general.php?page=human-verification`)
  const save = async (fields: Readonly<Record<string, string>>) => {
    await open()
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
    await page.getByLabel('Log-in', { exact: true }).check()
    await Promise.all([page.waitForURL(/settings-updated/), page.getByRole('button', { name: 'Save Changes' }).click()])
    return (await page.locator('.notice, .updated, .error').allInnerTexts()).join(' ')
  }
  const tested = async () => {
    await open()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByRole('status').waitFor()
    return page.getByRole('status').locator('li').allInnerTexts()
  }
  expect(await save({ 'Address of the service': 'verify.example.com' })).toMatch(
    /expected an address such as.*No form is protected yet/s,
  )
  expect(await tested()).toEqual([expect.stringContaining('Settings are missing: url, sitekey, secret')])
  const right = { 'Address of the service': `${service.base}/`, Sitekey: 'hv_site_people', Secret: secretOf('people') }
  expect(await save({ ...right, Threshold: '2' })).toContain('expected a number from 0 to 1')
  expect(await save({ 'Trusted proxies': '10.0.0.0/8' })).toContain('expected IP addresses')
  expect(await save({ ...right, 'Trusted proxies': '10.0.0.1, 2001:db8::1' })).toContain('Settings saved')
  await save({ 'Trusted proxies': 'direct' })
  expect(await save(right)).toContain('Settings saved')
  expect(await page.content()).not.toContain(secretOf('people'))
  expect(await tested()).toEqual([
    expect.stringMatching(/^✓ The service answers; its clock/),
    '✓ The script is there, and siteverify knows the secret.',
    expect.stringMatching(/^✓ .*action "login": OK/),
  ])
  await page.screenshot({ path: join(pictures, 'screenshot-2.png'), fullPage: true })
  await save({ Secret: secretOf('drivers').replace('drivers', 'another') })
  expect((await tested()).at(-1)).toMatch(/^✗ .*invalid-input-secret/)
  await save({ Secret: secretOf('people'), Sitekey: 'hv_site_nothere' })
  expect((await tested()).at(-1)).toMatch(/^✗ .*invalid-input-sitekey/)
  await save({ Sitekey: 'hv_site_people', 'Address of the service': 'http://127.0.0.1:1' })
  expect(await tested()).toEqual([expect.stringMatching(/^✗ The service is not well/)])
  await context.clearCookies()
  await use('people')
  await page.goto(`${wordpress.url}/wp-login.php`)
  await page.getByRole('checkbox', { name: 'I am human' }).waitFor()
  await page.screenshot({ path: join(pictures, 'screenshot-1.png') })
}, 120_000)

test('the commands of wp-cli change the same settings, and test the same path', async () => {
  wordpress.configure()
  // wp-cli is in no registry: this is as much of it as the commands call.
  const cli = `final class WP_CLI { static function add_command( $name, $class ) { $GLOBALS['command'] = new $class(); } static function __callStatic( $level, $args ) { echo "$level: $args[0]\\n"; if ( 'error' === $level ) exit; } } define( 'WP_CLI', true );`
  const run = (line: string) => wordpress.php(`$GLOBALS['command']->${line};`, cli)
  expect(await run(`set( array(), array( 'colour' => 'red' ) )`)).toContain('error: unknown: colour')
  const values = `array( 'url' => '${service.base}', 'sitekey' => 'hv_site_people', 'secret' => '${secretOf('people')}', 'forms' => 'login,comment' )`
  expect(await run(`set( array(), ${values} )`)).toContain('success: Protected forms: login, comment')
  expect(await run('test()')).toContain('success: The connection works.')
})

test('the sign-up of a multisite has a widget in both steps, and refuses either without a token', async () => {
  const { host } = new URL(wordpress.url)
  const constants = {
    WP_ALLOW_MULTISITE: 1,
    MULTISITE: 1,
    SUBDOMAIN_INSTALL: 0,
    PATH_CURRENT_SITE: '/',
    SITE_ID_CURRENT_SITE: 1,
  }
  const all = Object.entries({ ...constants, BLOG_ID_CURRENT_SITE: 1, DOMAIN_CURRENT_SITE: host })
  const tables = `global $wpdb; foreach ( $wpdb->tables( 'ms_global' ) as $table => $name ) $wpdb->$table = $name; install_network();`
  const install = `require_once ABSPATH . 'wp-admin/includes/upgrade.php'; ${tables} populate_network( 1, '${host}', 'admin@example.com', 'Shops', '/', false );`
  await wordpress.php(install, `define( 'WP_ALLOW_MULTISITE', true );`)
  await use('people', CORE, all.map(([name, value]) => `define( '${name}', ${JSON.stringify(value)} );`).join(' '))
  await wordpress.php(`update_site_option( 'registration', 'all' );`)
  await page.goto(`${wordpress.url}/wp-signup.php`)
  const step = (fields: Readonly<Record<string, string>>) =>
    send({ ...registration, fields: () => fields, button: '[name=submit]' })
  await page.locator('#signupblog').check()
  await step({ user_name: 'shopkeeper', user_email: 'shopkeeper@example.com' })
  await step({ blogname: 'myshop', blog_title: 'My shop' })
  await page.getByText('Congratulations! Your new site').waitFor()
  for (const stage of ['validate-user-signup', 'validate-blog-signup']) {
    const user = { stage, signup_for: 'blog', user_name: 'robot', user_email: 'robot@example.com' }
    const answer = await context.request.post(`${wordpress.url}/wp-signup.php`, {
      form: { ...user, blogname: 'other', blog_title: 'Other' },
    })
    expect(await answer.text()).toContain(REFUSED)
  }
}, 90_000)

test('PHP complains of nothing in the plug-in, and no token or secret is logged', () => {
  const said = wordpress.log()
  expect(said.split('\n').filter((line) => /plugins\/human-verification|Fatal/.test(line))).toEqual([])
  expect(said).not.toMatch(/eyJ|hv_secret_/)
})
