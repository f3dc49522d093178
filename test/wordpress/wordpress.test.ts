/** The plug-in in Debian's WordPress, with the real service and Chromium. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { testService, type TestService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { pass } from '../support/pass.ts'
import { needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import {
  comment,
  type Form,
  FORMS,
  LOGIN,
  login,
  lostPassword,
  nextPerson,
  person,
  POST,
  registration,
} from './core-forms.ts'
import {
  addSites,
  makeMultisite,
  REFUSED,
  secretOf,
  SITES,
  tokenOn,
  UNAVAILABLE,
  useSite,
} from './sites.ts'
import { startWordPress, type WordPress } from './start.ts'

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
  page.setDefaultTimeout(60_000)
})
afterEach(() => context.close())

/** Sets wp-config.php for a site of the service, and the forms that are protected. */
const use = (
  name: string,
  forms: readonly string[] = CORE,
  lines = '',
  url = service.base,
): Promise<void> => useSite(wordpress, { name, forms, url, lines })

// wp-cli is in no registry: this is as much of it as the commands call.
const CLI = `final class WP_CLI { static function add_command( $name, $class ) { $GLOBALS['command'] = new $class(); } static function __callStatic( $level, $args ) { echo "$level: $args[0]\\n"; if ( 'error' === $level ) exit; } } define( 'WP_CLI', true );`

/** Fills in a form as it stands and presses its button. @returns the token that it was sent with. */
async function send({ fields, button }: Form): Promise<string> {
  for (const [name, value] of Object.entries(fields()))
    await page.locator(`form:has(${button}) [name="${name}"]`).fill(value)
  const sent = page.waitForRequest(
    (one) => one.method() === 'POST' && one.url().startsWith(wordpress.url),
  )
  await page.locator(button).click()
  const token = new URLSearchParams((await sent).postData() ?? '').get('svc-response') ?? ''
  await page.waitForLoadState()
  return token
}

async function visit(form: Form): Promise<string> {
  await page.goto(wordpress.url + form.at)
  return send(form)
}

/** Sends a form as a program does. @returns the answer, and where it ended. */
async function post(
  form: Form,
  token?: string,
): Promise<{ body: string; url: string; status: number }> {
  const fields = {
    ...form.fields(),
    comment_post_ID: '7',
    ...(token !== undefined && { 'svc-response': token }),
  }
  const answer = await context.request.post(wordpress.url + form.to, { form: fields })
  return { body: await answer.text(), url: answer.url(), status: answer.status() }
}

/** A token that the widget of a page got, for the action of that page. */
async function tokenOf(form: Form): Promise<string> {
  await page.goto(wordpress.url + form.at)
  return page.evaluate(
    `new Promise((done) => svcCaptcha.ready(done)).then(() => svcCaptcha.execute())`,
  )
}

/** Logs the member in by XML-RPC. @returns the text of the answer. */
async function xmlRpc(password: string): Promise<string> {
  const value = (text: string) => `<param><value><string>${text}</string></value></param>`
  const params = `<params>${value('member')}${value(password)}</params>`
  const body = `<methodCall><methodName>wp.getUsersBlogs</methodName>${params}</methodCall>`
  const answer = await fetch(`${wordpress.url}/xmlrpc.php`, { method: 'POST', body })
  return answer.text()
}

describe.each(Object.entries(FORMS))('%s', (name, form) => {
  beforeEach(() => use('people'))

  test('lets a person in, and refuses the same token again, no token, and a token of another form', async () => {
    const token = await visit(form)
    await page.waitForURL(form.done)
    await context.clearCookies()
    const other = await tokenOf(name === 'registration' ? login : registration)
    for (const given of [token, undefined, 'not-a-token', other]) {
      await context.clearCookies()
      const { body, url } = await post(form, given)
      expect(body).toContain(REFUSED)
      expect(url).not.toMatch(form.done)
    }
  })

  test('refuses a stock driver, and keeps what was entered as WordPress does', async () => {
    await use('drivers')
    await visit(form)
    await page.getByText(REFUSED).waitFor()
    if (name === 'comment') await page.getByText('« Back').click()
    const [field, value] = Object.entries(form.fields())[0]!
    // The browser fills in what it kept a moment after the page of before is there.
    const isKept = await page.waitForFunction(
      ([selector, begins]) =>
        document.querySelector<HTMLInputElement>(selector!)?.value.startsWith(begins!),
      [`form:has(${form.button}) [name="${field}"]`, value.slice(0, 3)],
    )
    expect(await isKept.jsonValue()).toBe(true)
  })

  test('is closed while the service is down, says so, and says why in the log', async () => {
    const before = wordpress.log().length
    const token = await tokenOf(form)
    await use('people', CORE, '', 'http://127.0.0.1:1')
    expect((await post(form, token)).body).toContain(UNAVAILABLE)
    expect(wordpress.log().slice(before)).toContain(`the form "${name}" is closed`)
  })
})

test('a token in an array, or one of another site, is refused', async () => {
  await use('drivers')
  const token = await tokenOf(comment)
  await use('people')
  expect((await post(comment, token)).body).toContain(REFUSED)
  const body = new URLSearchParams({ ...person('member'), 'svc-response[]': token })
  const answer = await fetch(wordpress.url + LOGIN, { method: 'POST', body })
  expect(await answer.text()).toContain(REFUSED)
})

test('a token counts once, also at the same time, and where another plug-in seeds PHP’s random numbers', async () => {
  await use('people', CORE, 'mt_srand( 7 );')
  const token = await tokenOf(lostPassword)
  const answers = await Promise.all([1, 2, 3].map(() => post(lostPassword, token)))
  expect(answers.filter(({ url }) => lostPassword.done.test(url))).toHaveLength(1)
  expect(answers.filter(({ body }) => body.includes(REFUSED))).toHaveLength(2)
})

describe('a refusal is no failed log-in to whoever counts them', () => {
  /** Runs a request. @returns what it returned, and what those that count failed log-ins heard meanwhile. */
  async function failuresOf<Answer>(request: () => Promise<Answer>) {
    const before = wordpress.log().length
    const answer = await request()
    const heard = wordpress.log().slice(before)
    return {
      answer,
      failed: heard.match(/failed log-in: .*/g) ?? [],
      seen: heard.match(/wrong password at .*/g) ?? [],
    }
  }
  const logIn = (pwd: string, token?: string) =>
    post({ ...login, fields: () => person('member', pwd) }, token)
  const WRONG = 'failed log-in: member by incorrect_password'

  test.each([
    ['the service is away', 'http://127.0.0.1:1', 'not-a-token', UNAVAILABLE, 503],
    ['the token is not genuine', undefined, 'not-a-token', REFUSED, 422],
    ['there is no token', undefined, undefined, REFUSED, 422],
  ])('where %s', async (_, url, token, ...[sentence, status]) => {
    await use('people', CORE, '', url)
    const answers = new Set<string>()
    for (const pwd of ['correct horse', 'wrong']) {
      const { answer, failed, seen } = await failuresOf(() => logIn(pwd, token))
      expect([...failed, ...seen]).toEqual([])
      expect(answer.status).toBe(status)
      expect(answer.body).toContain(sentence)
      expect(answer.body).not.toContain('Incorrect user name or password')
      expect(answer.body).toMatch(/<input [^>]*name="log" [^>]*value="member"/)
      answers.add(answer.body)
    }
    expect(answers.size).toBe(1)
  })

  test('in the log-in form of a shop', async () => {
    await use('people', ['wc-login'])
    const fields = {
      login: 'Log in',
      username: 'member',
      password: 'wrong',
      'woocommerce-login-nonce': 'a',
    }
    const { answer, failed } = await failuresOf(() =>
      post({ ...login, to: '/', fields: () => fields }),
    )
    expect(failed).toEqual([])
    expect(answer.body).toContain(REFUSED)
  })

  test('in a form of a theme that calls wp_signon()', async () => {
    await use('people', ['login-other'])
    const form = { log: 'member', pwd: 'wrong' }
    const to = `${wordpress.url}/?fixture=login-other`
    const sent = () => context.request.post(to, { form })
    const { answer, failed, seen } = await failuresOf(sent)
    expect([...failed, ...seen]).toEqual([])
    expect(await answer.text()).toContain(REFUSED)
    await use('people', ['login'])
    expect((await failuresOf(sent)).failed).toEqual([WRONG])
  })

  test('a wrong password is one where the check accepts, and where it is not asked', async () => {
    await use('people')
    const token = await tokenOf(login)
    expect((await failuresOf(() => logIn('wrong', token))).failed).toEqual([WRONG])
    const byXmlRpc = await failuresOf(() => xmlRpc('wrong'))
    expect(byXmlRpc.answer).toContain('<name>faultCode</name>')
    expect(byXmlRpc.failed).toEqual([WRONG])
    const byProgram = await failuresOf(() =>
      wordpress.php(`echo wp_authenticate( 'member', 'wrong' )->get_error_code();`),
    )
    expect(byProgram.answer).toBe('incorrect_password')
    expect(byProgram.failed).toEqual([WRONG])
  })

  test('an application password logs in by REST, and a wrong one is one failure', async () => {
    await use('people', CORE, `define( 'WP_ENVIRONMENT_TYPE', 'local' );`)
    const make = `echo WP_Application_Passwords::create_new_application_password( get_user_by( 'login', 'member' )->ID, array( 'name' => 'x' ) )[0];`
    const right = await wordpress.php(make)
    const byRest = async (password: string) => {
      const authorization = `Basic ${btoa(`member:${password}`)}`
      return (
        await fetch(`${wordpress.url}/?rest_route=/wp/v2/users/me`, { headers: { authorization } })
      ).status
    }
    expect(await failuresOf(() => byRest(right))).toEqual({ answer: 200, failed: [], seen: [] })
    const { answer, failed } = await failuresOf(() => byRest('wrong'))
    expect(answer).toBe(401)
    expect(failed).toEqual(['failed log-in: application by incorrect_password'])
  })

  test('with HV_OPEN each wrong password is one, since nothing else is left against guessing', async () => {
    await use('people', CORE, `define( 'HV_OPEN', 'login' );`, 'http://127.0.0.1:1')
    for (const name of ['admin', 'member', 'nobody']) {
      const guess = () => post({ ...login, fields: () => person(name, 'wrong') }, 'x')
      const { answer, failed } = await failuresOf(guess)
      expect(failed).toEqual([`failed log-in: ${name} by incorrect_password`])
      expect(answer.body).toContain(UNAVAILABLE)
    }
    const { answer, failed } = await failuresOf(() => logIn('correct horse', 'x'))
    expect(failed).toEqual([])
    expect(answer.body).toContain(UNAVAILABLE)
  })
})

test('HV_OPEN lets an administrator in while the service is down, and no one else; the bar and the log say so', async () => {
  await use('people', CORE, `define( 'HV_OPEN', 'login' );`)
  await page.goto(wordpress.url + LOGIN)
  for (const [name, value] of Object.entries(person('admin')))
    await page.locator(`[name=${name}]`).fill(value)
  await use('people', CORE, `define( 'HV_OPEN', 'login' );`, 'http://127.0.0.1:1')
  await page.route(`${service.base}/api/**`, (route) => route.abort())
  await page.getByRole('button', { name: 'Administrators: log in without the check' }).click()
  await page.getByText('HV_OPEN: administrators log in without the check').waitFor()
  expect(wordpress.log()).toContain('an administrator logged in without the check')
  await context.clearCookies()
  expect((await post(login, 'x')).body).toContain(UNAVAILABLE)
  expect((await post({ ...login, fields: () => person('admin', 'wrong') }, 'x')).body).toContain(
    UNAVAILABLE,
  )
})

test('XML-RPC, and a reply on an administrator’s page, are not touched', async () => {
  await use('people')
  expect(await xmlRpc('correct horse')).toContain('blogName')
  const reply = `array( 'comment_post_ID' => 7, 'comment_author' => 'a', 'comment_author_email' => '', 'comment_author_url' => '', 'comment_content' => 'reply', 'user_id' => 1 )`
  expect(
    Number(await wordpress.php(`wp_set_current_user( 1 ); echo wp_new_comment( ${reply} );`)),
  ).toBeGreaterThan(0)
})

test('members comment without the check where it is switched off for them', async () => {
  await use('people', ['comment'])
  expect((await post(login)).url).toMatch(/\/wp-admin\//)
  expect((await post(comment)).url).toMatch(/#comment-/)
  await context.clearCookies()
  expect((await post(comment)).body).toContain(REFUSED)
})

test('two forms on one page, from a full-page cache, each with a token of its own', async () => {
  await use('people')
  const [first, second] = await Promise.all(
    [1, 2].map(async () => (await fetch(wordpress.url + POST)).text()),
  )
  expect(first).toBe(second)
  expect(first!.match(/class="svc-captcha"/g)).toHaveLength(2)
  writeFileSync(join(wordpress.root, 'cached.html'), first!)
  await visit({ ...comment, at: '/cached.html' })
  await page.waitForURL(comment.done)
  await visit({ ...login, at: POST, fields: () => ({ log: 'member', pwd: 'correct horse' }) })
  await page.locator('#wpadminbar').waitFor()
})

describe('the script comes with the box', () => {
  beforeEach(() => use('people'))

  test('in a template without wp_footer()', async () => {
    expect(await visit({ ...comment, at: '/?bare' })).not.toBe('')
    await page.waitForURL(comment.done)
  })

  test.each([
    ['as text', 'place.innerHTML = form.outerHTML'],
    ['from another document', 'place.append(document.importNode(form, true))'],
    [
      'as jQuery does, which runs scripts',
      `place.append(document.createRange().createContextualFragment(form.outerHTML))`,
    ],
  ])('in a form that a page without one inserts %s', async (_how, insert) => {
    const more = `onclick="fetch('${POST}').then(async (answer) => {
      const form = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('commentform')
      ${insert}
    })"`
    const lazy = `<!doctype html><title>Post</title><p id="place"></p><button ${more}>Show comments</button>`
    writeFileSync(join(wordpress.root, 'lazy.html'), lazy)
    await page.goto(`${wordpress.url}/lazy.html`)
    await page.getByText('Show comments').click()
    await page.locator('#commentform svc-captcha-box').waitFor({ state: 'attached' })
    expect(await send(comment)).not.toBe('')
    await page.waitForURL(comment.done)
  })

  test('once, although each box brings it', async () => {
    const loads: string[] = []
    page.on('request', (one) => one.url().endsWith('/captcha.js') && loads.push(one.resourceType()))
    await page.goto(wordpress.url + POST, { waitUntil: 'load' })
    expect(await page.locator('script[src$="/captcha.js"]').count()).toBe(2)
    expect(await page.locator('.svc-captcha svc-captcha-box').count()).toBe(2)
    expect(loads.filter((type) => type === 'script')).toHaveLength(1)
  })
})

describe('a form that fires no hook', () => {
  /** Writes a post with a log-in form as page builders make it. @returns its address. */
  async function pageWith(box: string): Promise<string> {
    const fields = '<input name="log"><input name="pwd" type="password">'
    const form = `<form method="post" action="/wp-login.php">${fields}${box}<button id="wp-submit">Log in</button></form>`
    const content = `'<!-- wp:html -->${form}<!-- /wp:html -->'`
    const values = `array( 'import_id' => 8, 'ID' => get_post( 8 ) ? 8 : 0, 'post_title' => 'Members', 'post_status' => 'publish', 'post_content' => ${content} )`
    return `/?p=${await wordpress.php(`kses_remove_filters(); echo wp_insert_post( ${values} );`)}`
  }
  const lastLine = () =>
    wordpress.php(
      `foreach ( HumanVerification\\test_connection() as $line ); echo json_encode( $line );`,
    )
  const members = { ...login, fields: () => ({ log: 'member', pwd: 'correct horse' }) }
  afterEach(() => wordpress.php(`wp_delete_post( 8, true );`))

  test('has a box by the shortcode; the test of the connection names a form without one', async () => {
    await use('people')
    const at = await pageWith('')
    expect(await lastLine()).toMatch(
      /^\[false,"A form of .*is checked and has no box.*human_verification form=/,
    )
    expect(await visit({ ...members, at })).toBe('')
    await page.getByText(REFUSED).waitFor()
    expect(await pageWith('[human_verification form="login"]')).toBe(at)
    expect(await lastLine()).toMatch(/^\[true,"No form without a box/)
    await visit({ ...members, at })
    await page.locator('#wpadminbar').waitFor()
    await context.clearCookies()
    await use('people', ['comment'])
    await page.goto(wordpress.url + at)
    expect(await page.locator('.svc-captcha, script[src$="/captcha.js"]').count()).toBe(0)
  })

  test('of a shop is named by the test of the connection', async () => {
    await use('people', ['wc-login'])
    const shop = (is: number) => wordpress.php(`update_option( 'hv_test_shop', ${is} );`)
    await shop(1)
    expect(await lastLine()).toMatch(
      /^\[false,"A form of .*shop=myaccount is checked.*form=\\"wc-login/,
    )
    await shop(0)
    expect(await lastLine()).toMatch(/^\[true,"No form without a box/)
  })

  test('has a box by the template tag', async () => {
    await use('people')
    expect(await visit({ ...comment, at: '/?bare=tagged' })).not.toBe('')
    await page.waitForURL(comment.done)
  })

  describe('of comments, without the template tag', () => {
    const again = { ...comment, fields: () => ({}) }

    test('is answered with a form that has a box, and sends what was entered', async () => {
      await use('people')
      const written = `Two lines\nand a \\, ${nextPerson()}`
      const fields = () => ({ ...comment.fields(), comment: written })
      expect(await visit({ ...comment, at: '/?bare=untagged', fields })).toBe('')
      await page.getByText(REFUSED).waitFor()
      expect(await page.locator('[name="extra[a][0]"]').inputValue()).toBe('one &lt; "two"')
      expect(await send(again)).not.toBe('')
      await page.waitForURL(comment.done)
      const newest = `get_comments( array( 'number' => 1, 'orderby' => 'comment_ID' ) )[0]->comment_content`
      const kept = await wordpress.php(`wp_set_current_user( 1 ); echo ${newest};`)
      expect(kept.replaceAll('\r', '')).toBe(written)
    })

    test('is refused there to a stock driver', async () => {
      await use('drivers')
      await visit({ ...comment, at: '/?bare=untagged' })
      await page.getByText(REFUSED).waitFor()
      expect(await send(again)).not.toBe('')
      await page.getByText(REFUSED).waitFor()
      expect(page.url()).toContain(comment.to)
    })
  })
})

test('the box of a contact form hears that its token was refused', async () => {
  await use('people', ['contact'])
  await page.goto(`${wordpress.url}/?fixture=contact`)
  await page.locator('svc-captcha-box').waitFor({ state: 'attached' })
  const sentence = page
    .locator('.svc-captcha')
    .getByText(/try again/i)
    .first()
  expect(await sentence.isVisible()).toBe(false)
  await page.evaluate(`document.forms[0].dispatchEvent(new Event('wpcf7spam', { bubbles: true }))`)
  await sentence.waitFor()
})

test('the step of a second try appears in the log-in form, and its ticket is taken', async () => {
  await use('tickets')
  await visit(login)
  await page.getByText(REFUSED).waitFor()
  expect(await page.locator('.svc-captcha[data-step-up]').count()).toBe(1)
  expect(await page.locator('[name=log]').inputValue()).toBe('member')
  expect(service.lines().some(({ step_up: step }) => step === 'asked')).toBe(true)
})

test('a pass opens the log-in to a visitor whom the score refuses, once', async () => {
  await use('drivers')
  const link = await pass({ aud: 'hv_site_drivers', action: 'login', hostname: 'localhost' })
  await visit({ ...login, at: `${LOGIN}#hv=${link}` })
  await page.waitForURL(login.done)
  await context.clearCookies()
  expect((await post(login, link)).body).toContain(REFUSED)
})

const OTHERS = {
  contact: 'wpcf7_form_elements',
  'wc-login': 'woocommerce_login_form',
  'wc-registration': 'woocommerce_register_form',
  'wc-lost-password': 'woocommerce_lostpassword_form',
  'wc-checkout': 'woocommerce_review_order_before_submit',
}
test.each(Object.entries(OTHERS))(
  '%s, by its hooks: a token gets in once, and none does not',
  async (name, hook) => {
    await use('people', Object.keys(OTHERS))
    await page.goto(`${wordpress.url}/?fixture=${name}&hook=${hook}`)
    const answer = page.waitForResponse(
      (one) => one.request().method() === 'POST' && one.url().includes('fixture='),
    )
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
  },
)

/** The forms of plug-ins and themes that answer with what they did, and the filter of their markup. */
const BUILDERS = {
  elementor: 'elementor/widget/render_content',
  gravity: 'gform_submit_button',
  'login-other': 'the_content',
}
describe.each(Object.entries(BUILDERS))('%s, by its hooks', (name, hook) => {
  const at = `/?fixture=${name}`
  /** Fills in what the page has, and sends it. @returns the answer and what was sent. */
  async function go() {
    await page.goto(`${wordpress.url}${at}&hook=${hook}`)
    const answer = page.waitForResponse(
      (one) => one.request().method() === 'POST' && one.url().includes(at),
    )
    await page.getByRole('button', { name: 'Go' }).click()
    const sent = new URLSearchParams((await answer).request().postData()!)
    return { said: await (await answer).text(), sent: Object.fromEntries(sent) }
  }
  const again = async (form: Record<string, string>): Promise<string> =>
    (await context.request.post(wordpress.url + at, { form })).text()

  test('lets a person in, once, and nobody without a token', async () => {
    await use('people', [name])
    const { said, sent } = await go()
    expect(said).toBe('{"sent":true}')
    await context.clearCookies()
    const { 'svc-response': token, ...rest } = sent
    expect(token).toMatch(/^eyJ/)
    for (const form of [sent, rest]) expect(await again(form)).toContain(REFUSED)
  })

  test('refuses a stock driver', async () => {
    await use('drivers', [name])
    expect((await go()).said).toContain(REFUSED)
  })

  test('is closed while the service is down, and open where it is not protected', async () => {
    await use('people', [name], '', 'http://127.0.0.1:1')
    const form = { log: 'member', pwd: 'correct horse' }
    expect(await again({ ...form, 'svc-response': 'eyJ' })).toContain(UNAVAILABLE)
    await use('people', ['login'])
    expect(await again(form)).toBe('{"sent":true}')
  })
})

test('a form of Gravity Forms with several pages is checked when it is sent', async () => {
  await use('people', ['gravity'])
  const submit = async (form: Record<string, string>) =>
    (await context.request.post(`${wordpress.url}/?fixture=gravity`, { form })).text()
  expect(await submit({ pages: '2', next: '1' })).toBe('{"page":2}')
  expect(await submit({ pages: '2' })).toContain(REFUSED)
  const token = await tokenOf({ ...login, at: '/?fixture=gravity&hook=gform_submit_button' })
  expect(await submit({ pages: '2', next: '1', 'svc-response': token })).toBe('{"page":2}')
  expect(await submit({ pages: '2', 'svc-response': token })).toBe('{"sent":true}')
  expect(await submit({ pages: '2', 'svc-response': token })).toContain(REFUSED)
})

describe('the Store API of WooCommerce, by its hooks', () => {
  const PATH = '/?rest_route=/wc/store/v1/checkout'
  const bodyWith = (token?: string) =>
    token === undefined ? {} : { extensions: { 'human-verification': { token } } }
  const order = (data: object, path = PATH) =>
    context.request.post(wordpress.url + path, { data, failOnStatusCode: false })

  async function tokenOfCheckout(): Promise<string> {
    await page.goto(
      `${wordpress.url}/?fixture=wc-checkout&hook=woocommerce_review_order_before_submit`,
    )
    return page.evaluate(
      `new Promise((done) => svcCaptcha.ready(done)).then(() => svcCaptcha.execute())`,
    )
  }

  test('a token orders once, and without one nothing is ordered', async () => {
    await use('people', ['wc-checkout'])
    const token = await tokenOfCheckout()
    expect((await order(bodyWith(token))).status()).toBe(200)
    for (const body of [
      bodyWith(token),
      bodyWith(),
      { extensions: { 'human-verification': [] } },
    ]) {
      const answer = await order(body)
      expect(answer.status()).toBe(422)
      expect(await answer.text()).toContain(REFUSED)
    }
    expect((await order({}, '/?rest_route=/WC/store/v1/checkout')).status()).toBe(422)
  })

  test('each order of a batch needs a token of its own', async () => {
    await use('people', ['wc-checkout'])
    const one = { path: '/wc/store/v1/checkout', body: bodyWith(await tokenOfCheckout()) }
    const answer = await order({ requests: [one, one] }, '/?rest_route=/batch/v1')
    const { responses } = (await answer.json()) as { responses: { status: number }[] }
    expect(responses.map(({ status }) => status)).toEqual([200, 422])
  })

  test('is open where the checkout is not protected, and closed while the service is down', async () => {
    await use('people', ['login'])
    expect((await order({})).status()).toBe(200)
    await use('people', ['wc-checkout'], '', 'http://127.0.0.1:1')
    const answer = await order(bodyWith('not-a-token'))
    expect(answer.status()).toBe(503)
    expect(await answer.text()).toContain(UNAVAILABLE)
  })
})

test('the visitor’s address is the last one that no trusted proxy has', async () => {
  const rows = [
    { proxies: '', from: '10.0.0.1', forwarded: '203.0.113.9', is: '' },
    { proxies: 'direct', from: '203.0.113.9', forwarded: '198.51.100.7', is: '203.0.113.9' },
    {
      proxies: '10.0.0.1',
      from: '10.0.0.1',
      forwarded: '198.51.100.7, 203.0.113.9',
      is: '203.0.113.9',
    },
    { proxies: '10.0.0.1', from: '10.0.0.2', forwarded: '203.0.113.9', is: '10.0.0.2' },
    { proxies: '10.0.0.0/12', from: '10.15.255.255', forwarded: '203.0.113.9', is: '203.0.113.9' },
    { proxies: '10.0.0.0/12', from: '10.16.0.0', forwarded: '203.0.113.9', is: '10.16.0.0' },
    {
      proxies: '10.0.0.0/8,192.0.2.0/31',
      from: '10.9.9.9',
      forwarded: '203.0.113.9,192.0.2.1',
      is: '203.0.113.9',
    },
    { proxies: '10.0.0.0/8', from: '::ffff:10.0.0.1', forwarded: '203.0.113.9', is: '203.0.113.9' },
    {
      proxies: '2001:db8::/33',
      from: '2001:DB8:7fff:0::1',
      forwarded: '2001:db8:8000::1',
      is: '2001:db8:8000::1',
    },
    { proxies: '10.0.0.0/8', from: '10.0.0.1', forwarded: '203.0.113.9, unknown', is: '' },
    { proxies: '10.0.0.0/8', from: '10.0.0.1', forwarded: '10.0.0.2', is: '' },
  ]
  const line = `foreach ( json_decode( '${JSON.stringify(rows)}' ) as $row ) {
    list( $_SERVER['REMOTE_ADDR'], $_SERVER['HTTP_X_FORWARDED_FOR'] ) = array( $row->from, $row->forwarded );
    $found[] = HumanVerification\\visitor_address( $row->proxies );
  } echo json_encode( $found );`
  expect(JSON.parse(await wordpress.php(line))).toEqual(rows.map(({ is }) => is))
})

test('a service with a certificate of a private authority is asked with the file of docs/start/wordpress.md', async () => {
  const folder = newFolder()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const options =
    '-newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'
  const make = `req -x509 ${options} -keyout ${key} -out ${certificate}`
  execFileSync(needProgram('openssl'), make.split(' '), { stdio: 'pipe' })
  const tls = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (_, answer) => {
      answer.setHeader('content-type', 'application/json').end('{}')
    },
  )
  await once(tls.listen(0, '127.0.0.1'), 'listening')
  closeLater(tls, (it) => it.close())
  const url = `https://localhost:${(tls.address() as AddressInfo).port}`
  await use('people', CORE, '', url)
  const first = () => wordpress.php(`echo HumanVerification\\test_connection()->current()[1];`)
  expect(await first()).toMatch(/The service is not well: .*certificate/)
  const [, file] = /(<\?php\n.*?sslcertificates.*?)```/s.exec(
    readFileSync('docs/start/wordpress.md', 'utf8'),
  )!
  const place = join(wordpress.root, 'wp-content/mu-plugins/authority.php')
  writeFileSync(
    place,
    file!.replace('https://verify.example.com', url).replace(/\/etc\/ssl\/.*?\.crt/, certificate),
  )
  expect(await first()).toMatch(/^The service answers/)
  rmSync(place)
})

test('the settings page saves, keeps the secret to itself, and tests the whole path', async () => {
  wordpress.configure()
  await wordpress.php(`delete_option( 'human_verification' );`)
  await post({ ...login, fields: () => person('admin') })
  const pictures = join(ROOT, 'build/wordpress')
  const open = () =>
    page.goto(`${wordpress.url}/wp-admin/options-general.php?page=human-verification`)
  const save = async (fields: Readonly<Record<string, string>>) => {
    await open()
    for (const [label, text] of Object.entries(fields))
      await page.getByLabel(label, { exact: true }).fill(text)
    await page.getByLabel('Log-in', { exact: true }).check()
    await Promise.all([
      page.waitForURL(/settings-updated/),
      page.getByRole('button', { name: 'Save Changes' }).click(),
    ])
    return (await page.locator('.notice, .updated, .error').allInnerTexts()).join(' ')
  }
  const tested = async () => {
    await open()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.getByRole('status').waitFor()
    expect(page.url()).toMatch(/#hv-connection$/)
    return page.getByRole('status').locator('li').allInnerTexts()
  }
  await page.goto(`${wordpress.url}/wp-admin/plugins.php`)
  await page
    .locator('[data-slug=human-verification]')
    .getByRole('link', { name: 'Settings' })
    .click()
  const refusal = await save({ 'Address of the service': 'verify.example.com' })
  expect(refusal).toMatch(/expected an address such as.*No form is protected yet/s)
  expect(await tested()).toEqual([
    expect.stringContaining('Settings are missing: service, sitekey, secret'),
  ])
  const right = {
    'Address of the service': `${service.base}/`,
    Sitekey: 'hv_site_people',
    Secret: secretOf('people'),
  }
  expect(await save({ ...right, Threshold: '2' })).toContain('expected a number from 0 to 1')
  for (const wrong of [
    '10.0.0.0/33',
    '0.0.0.0/0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'proxy.example.com',
  ])
    expect(await save({ 'Trusted proxies': wrong })).toContain('expected IP addresses or ranges')
  expect(
    await save({ ...right, 'Trusted proxies': '10.0.0.1, 10.1.0.0/16 2001:db8::/32' }),
  ).toContain('Settings saved')
  await save({ 'Trusted proxies': 'direct' })
  expect(await save(right)).toContain('Settings saved')
  expect(await page.content()).not.toContain(secretOf('people'))
  expect(await tested()).toEqual([
    expect.stringMatching(/^✓ The service answers; its clock/),
    '✓ The script is there, and siteverify knows the secret.',
    expect.stringMatching(/^✓ .*action "login": OK/),
    '✓ No form without a box was found at the front page, the newest post and the pages of a shop.',
  ])
  await page.setViewportSize({ width: 1280, height: 1400 })
  await page.screenshot({ path: join(pictures, 'screenshot-2.png') })
  await save({ Secret: secretOf('drivers').replace('drivers', 'another') })
  expect((await tested()).at(-1)).toMatch(/^✗ .*invalid-input-secret/)
  await save({ Secret: secretOf('people'), Sitekey: 'hv_site_nothere' })
  expect((await tested()).at(-1)).toMatch(/^✗ .*invalid-input-sitekey. Correct the sitekey/)
  await save({ Sitekey: 'hv_site_people', 'Address of the service': 'http://127.0.0.1:1' })
  expect(await tested()).toEqual([expect.stringMatching(/^✗ The service is not well/)])
  await context.clearCookies()
  await use('people')
  await page.goto(wordpress.url + LOGIN)
  await page.locator('p:has([name=two-factor-code])').evaluate((field) => field.remove())
  await page.locator('[name=log]').fill('Ada')
  await page.getByText('Ready').waitFor()
  await page.locator('#login').screenshot({ path: join(pictures, 'screenshot-1.png') })
})

test('the commands of wp-cli change the same settings, and test the same path', async () => {
  wordpress.configure()
  const run = (line: string) => wordpress.php(`$GLOBALS['command']->${line};`, CLI)
  expect(await run(`set( array(), array( 'colour' => 'red' ) )`)).toContain(
    'error: unknown: colour',
  )
  // wp-cli takes these options for itself, so that no setting may be called like one.
  const keys = await wordpress.php(
    'echo implode( ",", array_keys( HumanVerification\\settings() ) );',
  )
  expect(keys).not.toMatch(
    /\b(path|url|ssh|http|user|require|exec|context|color|debug|prompt|quiet)\b/,
  )
  // wp-cli knows an option only by the line after it, which describes it (Subcommand::extract_synopsis()).
  const described = await wordpress.php(
    `echo ( new ReflectionMethod( HumanVerification\\Command::class, 'set' ) )->getDocComment();`,
    CLI,
  )
  for (const name of [...keys.split(','), 'network', 'from'])
    expect(described).toMatch(new RegExp(`\\* \\[--${name}(=<\\w+>)?\\]\n\\s+\\* : \\w`))
  const values = `array( 'service' => '${service.base}', 'sitekey' => 'hv_site_people', 'secret' => '${secretOf('people')}', 'forms' => 'login,comment' )`
  expect(await run(`set( array(), ${values} )`)).toContain(
    'success: Protected forms: login, comment',
  )
  expect(await run('test()')).toContain('success: The connection works.')
  const secure = `add_filter( 'home_url', fn() => 'https://shop.example.com' );`
  expect(await wordpress.php(`${secure} $GLOBALS['command']->test();`, CLI)).toContain(
    'error: Browsers load nothing',
  )
})

test('a monitoring system reads the state as JSON, and the exit code is 1 where forms are closed', async () => {
  const status = async () => {
    const said = await wordpress.php(
      `$GLOBALS['command']->status( array(), array( 'format' => 'json' ) );`,
      CLI,
    )
    const [json, ...rest] = said
      .replace(/^log: /, '')
      .trim()
      .split('\n')
    const [{ state }] = JSON.parse(json!) as [{ state: string }]
    return { state, isHalted: rest.join('') === 'halt: 1' }
  }
  await use('people', ['login'])
  expect(await status()).toEqual({ state: 'ok', isHalted: false })
  await use('people', ['login'], '', 'http://127.0.0.1:1')
  expect(await status()).toEqual({ state: 'service', isHalted: true })
  await wordpress.php(`update_option( 'human_verification', array( 'forms' => array() ) );`)
  expect(await status()).toEqual({ state: 'off', isHalted: false })
  await use('people', ['login'])
  wordpress.configure()
  expect(await status()).toEqual({ state: 'settings', isHalted: true })
})

describe('a multisite', () => {
  const EVERYWHERE = `require_once ABSPATH . 'wp-admin/includes/plugin.php'; activate_plugin( 'human-verification/human-verification.php', '', true );`
  const run = (line: string) => wordpress.php(`$GLOBALS['command']->${line};`, CLI)
  let network: string
  beforeAll(async () => {
    network = await makeMultisite(wordpress)
    await use('people', CORE, network)
    await wordpress.php(`update_site_option( 'registration', 'all' );`)
  })
  afterAll(() => wordpress.configure())

  test('has a widget in both steps of its sign-up, and refuses either without a token', async () => {
    await page.goto(`${wordpress.url}/wp-signup.php`)
    const step = (fields: Form['fields']) =>
      send({ ...registration, fields, button: '[name=submit]' })
    await page.locator('#signupblog').check()
    await step(() => ({ user_name: 'shopkeeper', user_email: 'shopkeeper@example.com' }))
    await step(() => ({ blogname: 'myshop', blog_title: 'My shop' }))
    await page.getByText('Congratulations! Your new site').waitFor()
    for (const stage of ['validate-user-signup', 'validate-blog-signup']) {
      const user = {
        user_name: 'robot',
        user_email: 'robot@example.com',
        blogname: 'other',
        blog_title: 'Other',
      }
      const form = { stage, signup_for: 'blog', ...user }
      const answer = await context.request.post(`${wordpress.url}/wp-signup.php`, { form })
      expect(await answer.text()).toContain(REFUSED)
    }
    // A member's next site.
    await post(login, await tokenOf(login))
    const next = {
      stage: 'gimmeanotherblog',
      blogname: 'robots',
      blog_title: 'Robots',
      blog_public: '1',
    }
    const answer = await context.request.post(`${wordpress.url}/wp-signup.php`, { form: next })
    expect(await answer.text()).toContain(REFUSED)
    await page.goto(`${wordpress.url}/wp-signup.php`)
    await step(() => ({ blogname: 'membershop', blog_title: 'Shop of a member' }))
    await page.getByText('is your new site').waitFor()
  })

  describe('whose settings are those of its network', () => {
    /** The addresses of all sites. */
    let sites: string[]
    beforeAll(async () => {
      await addSites(wordpress, 19)
      wordpress.configure(network)
      await wordpress.php(`delete_option( 'human_verification' );`)
      const all = `echo wp_json_encode( array_map( 'get_home_url', get_sites( 'fields=ids&number=0' ) ) );`
      sites = JSON.parse(await wordpress.php(all)) as string[]
    }, 300_000)

    test('sets twenty sites up by one command, and tests each by another', async () => {
      expect(sites.length).toBeGreaterThanOrEqual(20)
      const keys = `'sitekey' => 'hv_site_people', 'secret' => '${secretOf('people')}'`
      const values = `array( 'service' => '${service.base}', ${keys}, 'forms' => 'login,comment', 'network' => true )`
      expect(await run(`set( array(), ${values} )`)).toContain(
        'success: Protected forms of each site: login, comment',
      )
      expect(await run(`test( array(), array( 'network' => true ) )`)).toMatch(
        /site19: The plug-in is not active here/,
      )
      await wordpress.php(EVERYWHERE)
      const said = await run(`test( array(), array( 'network' => true ) )`)
      expect(said).toContain('success: The connection works.')
      expect(said.match(/^log: http.*$/gm)).toEqual(sites.map((site) => `log: ${site}`))
      expect(said.match(/action "login": OK/g)).toHaveLength(sites.length)
      const status = await run(`status( array(), array( 'network' => true, 'format' => 'json' ) )`)
      const rows = JSON.parse(status.replace('log: ', '')) as Record<string, string>[]
      const row = { state: 'ok', service: service.base, forms: 'login,comment' }
      expect(rows).toEqual(sites.map((url) => expect.objectContaining({ ...row, url })))
    })

    test('lets no site change what the network has set, or switch a form of it off', async () => {
      const change = `array( 'service' => 'https://other.example.com', 'sitekey' => 'hv_site_other', 'forms' => array( 'registration' ) )`
      const changed = await wordpress.php(
        `require_once ABSPATH . 'wp-admin/includes/template.php'; update_option( 'human_verification', HumanVerification\\sanitize( ${change} ) ); echo json_encode( HumanVerification\\settings() );`,
      )
      expect(JSON.parse(changed)).toMatchObject({
        service: service.base,
        sitekey: 'hv_site_people',
        forms: ['registration', 'login', 'comment'],
      })
    })

    test('gives each site of a list the keys of its hostname, and names a site that is not in it', async () => {
      await wordpress.php(
        `delete_site_option( 'human_verification' ); update_blog_option( 2, 'home', 'http://two.example.com' ); update_blog_option( 3, 'home', 'http://three.example.com' );`,
      )
      const list = join(newFolder(), 'secrets.json')
      const keys = [
        { hostnames: ['localhost'], sitekey: 'a', secret: 'b' },
        { hostnames: ['two.example.com', 'www.two.example.com'], sitekey: 'c', secret: 'd' },
      ]
      writeFileSync(list, JSON.stringify(keys))
      await run(`set( array(), array( 'service' => '${service.base}', 'network' => true ) )`)
      const said = await run(`set( array(), array( 'from' => '${list}', 'forms' => 'login' ) )`)
      expect(said).toContain('warning: not in the list: http://three.example.com')
      expect(said).toContain(`success: Sites that were set: ${sites.length - 1}`)
      const stored = `echo wp_json_encode( array_map( fn( $id ) => get_blog_option( $id, 'human_verification' ), array( 1, 2 ) ) );`
      expect(JSON.parse(await wordpress.php(stored))).toMatchObject([
        { sitekey: 'a', secret: 'b', forms: ['login'] },
        { sitekey: 'c', secret: 'd', forms: ['login'] },
      ])
    })

    test('reads the settings of hCaptcha where that keeps them for the network', async () => {
      const hcaptcha = `update_site_option( 'hcaptcha_settings_network_wide', array( 'on' ) ); update_site_option( 'hcaptcha_settings', array( 'wp_status' => array( 'login', 'comment' ) ) );`
      const guarded = `echo implode( ',', HumanVerification\\forms_of_hcaptcha() );`
      expect(await wordpress.php(hcaptcha + guarded)).toBe('login,comment')
    })

    test('lets no administrator of a site bring a script, or send the secret elsewhere', async () => {
      await wordpress.php(`delete_site_option( 'human_verification' );`)
      const set = `update_option( 'human_verification', array( 'service' => 'https://other.example.com' ) );`
      expect(
        await wordpress.php(`${set} echo '[', HumanVerification\\settings()['service'], ']';`),
      ).toBe('[]')
    })

    test('keeps nothing of any site when the plug-in is removed', async () => {
      const remove = `define( 'WP_UNINSTALL_PLUGIN', 1 ); require WP_PLUGIN_DIR . '/human-verification/uninstall.php';`
      const left = `echo wp_json_encode( array_map( fn( $id ) => get_blog_option( $id, 'human_verification' ), array( 1, 2, 3 ) ) );`
      expect(await wordpress.php(remove + left)).toBe('[false,false,false]')
    })
  })
})

test('a comment by REST, where a site allows it, needs a token in its header', async () => {
  const open = join(wordpress.root, 'wp-content/mu-plugins/rest.php')
  writeFileSync(open, `<?php add_filter( 'rest_allow_anonymous_comments', '__return_true' );`)
  closeLater(open, (it) => rmSync(it, { force: true }))
  await use('people', ['rest', 'comment'])
  await page.goto(wordpress.url + POST)
  const token = await tokenOn(page, service.base, 'people', 'rest')
  const write = (headers: Record<string, string>, path = 'comments') => {
    const data = { post: 7, content: `By REST, ${nextPerson()}`, author_name: 'Ada' }
    const user = { username: 'robot', email: 'robot@example.com', password: 'x' }
    const body = { ...data, ...user, author_email: 'ada@example.com' }
    return context.request.post(`${wordpress.url}/?rest_route=/wp/v2/${path}`, {
      headers,
      data: body,
    })
  }
  expect((await write({ 'svc-response': token })).status()).toBe(201)
  for (const headers of [{ 'svc-response': token }, {}]) {
    const answer = await write(headers)
    expect(answer.status()).toBe(422)
    expect(await answer.text()).toContain(REFUSED)
  }
  expect((await write({}, 'users')).status()).toBe(422)
})

describe('moving from another plug-in', () => {
  const HCAPTCHA = 'hcaptcha-for-forms-and-more/hcaptcha.php'
  const TURNSTILE = 'simple-cloudflare-turnstile/simple-cloudflare-turnstile.php'
  const protectedForms = async () =>
    JSON.parse(
      await wordpress.php(`echo json_encode( HumanVerification\\settings()['forms'] );`),
    ) as string[]
  /** A plug-in that only has the file, and options as the real one stores them. */
  async function activate(plugin: string, options: string): Promise<void> {
    const file = join(wordpress.root, 'wp-content/plugins', plugin)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '<?php /* Plugin Name: Other */')
    const load = `require_once ABSPATH . 'wp-admin/includes/plugin.php'; wp_cache_flush();`
    await wordpress.php(`${load} activate_plugin( '${plugin}' ); ${options}`)
  }
  const run = (line: string) => wordpress.php(`$GLOBALS['command']->${line};`, CLI)

  test('the page names its forms, protects them, says how to switch it off, and goes back', async () => {
    await use('people', ['login'])
    const status = `array( 'wp_status' => array( 'login', 'register', 'comment' ), 'wpforms_status' => array( 'form' ), 'gravity_status' => array( 'form', 'embed' ), 'cf7_status' => array() )`
    await activate(HCAPTCHA, `update_option( 'hcaptcha_settings', ${status} );`)
    await post({ ...login, fields: () => person('admin') }, await tokenOf(login))
    const settings = `${wordpress.url}/wp-admin/options-general.php?page=human-verification`
    await page.goto(settings)
    await page
      .getByText('hCaptcha guards: Log-in, Registration, Comments, WPForms, Gravity Forms.')
      .waitFor()
    await page.getByRole('button', { name: 'Protect these forms here' }).click()
    await page.getByText('then deactivate it under Plugins').waitFor()
    expect(await protectedForms()).toEqual([
      'login',
      'registration',
      'comment',
      'wpforms',
      'gravity',
    ])
    await page.getByText('Before the move these forms were protected here: Log-in.').waitFor()
    await page.getByRole('button', { name: 'Go back' }).click()
    await page.getByText('hCaptcha guards').waitFor()
    expect(await protectedForms()).toEqual(['login'])
    const load = `require_once ABSPATH . 'wp-admin/includes/plugin.php';`
    await wordpress.php(`${load} deactivate_plugins( '${HCAPTCHA}' );`)
  })

  test('the command does the same', async () => {
    await use('people', ['comment'])
    const options = `update_option( 'cfturnstile_reset', '1' ); update_option( 'cfturnstile_woo_checkout', 'on' ); update_option( 'cfturnstile_login', '' );`
    await activate(TURNSTILE, options)
    const moved = await run(`move( array(), array() )`)
    expect(moved).toContain('Simple Cloudflare Turnstile guards: lost-password, wc-checkout')
    expect(await protectedForms()).toEqual(['lost-password', 'comment', 'wc-checkout'])
    await run(`move( array(), array( 'back' => true ) )`)
    expect(await protectedForms()).toEqual(['comment'])
    const load = `require_once ABSPATH . 'wp-admin/includes/plugin.php';`
    await wordpress.php(`${load} deactivate_plugins( '${TURNSTILE}' );`)
  })
})

describe('an update', () => {
  const FILE = 'human-verification/human-verification.php'
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const served = new Map<string, Buffer>()
  let url: string

  beforeAll(async () => {
    const folder = newFolder()
    const plugin = join(folder, 'human-verification')
    cpSync(join(ROOT, 'packages/wordpress'), plugin, { recursive: true })
    const main = join(plugin, 'human-verification.php')
    writeFileSync(main, readFileSync(main, 'utf8').replace(/Version: .*/, 'Version: 9.9.9'))
    execFileSync(needProgram('zip'), ['-qr', 'new.zip', 'human-verification'], { cwd: folder })
    served.set('/new.zip', readFileSync(join(folder, 'new.zip')))
    const server = createPlainServer(({ url: path }, answer) => {
      const found = served.get(path!)
      answer.writeHead(found ? 200 : 404).end(found)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closeLater(server, (it) => it.close())
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    // The directory of WordPress is asked first, and safe requests go to no address of this machine.
    const directory = `fn( $answer, $options, $url ) => false === strpos( $url, 'api.wordpress.org' ) ? $answer : array( 'response' => array( 'code' => 200 ), 'body' => '{"plugins":[],"themes":[],"translations":[],"no_update":[]}', 'headers' => array(), 'cookies' => array() )`
    const quiet = `<?php add_filter( 'pre_http_request', ${directory}, 10, 3 ); add_filter( 'http_request_host_is_external', '__return_true' ); add_filter( 'http_allowed_safe_ports', fn() => array( ${new URL(url).port} ) );`
    writeFileSync(join(wordpress.root, 'wp-content/mu-plugins/directory.php'), quiet)
  })

  /** Puts a description of the zip beside it. */
  function publish(change: object = {}, signer = privateKey): void {
    const sha256 = createHash('sha256').update(served.get('/new.zip')!).digest('hex')
    const release = {
      slug: 'human-verification',
      version: '9.9.9',
      package: `${url}/new.zip`,
      sha256,
    }
    const needs = { requires: '5.9', requires_php: '7.4', tested: '7.1' }
    const text = Buffer.from(JSON.stringify({ ...release, ...needs, ...change }))
    served.set('/release.json', text)
    served.set('/release.json.sig', Buffer.from(sign(null, text, signer).toString('base64')))
  }
  const useKey = (line = `define( 'HV_UPDATE_KEY', '${key}' );`) =>
    use('people', CORE, `define( 'HV_UPDATE_URL', '${url}/release.json' ); ${line}`)
  const look = `delete_site_transient( 'update_plugins' ); wp_update_plugins();`
  const offered = () =>
    wordpress.php(
      `${look} echo get_site_transient( 'update_plugins' )->response['${FILE}']->new_version ?? 'none';`,
    )
  /** Updates as WordPress does in the background. @returns what it said. */
  const update = () =>
    wordpress.php(
      `require_once ABSPATH . 'wp-admin/includes/admin.php'; require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php'; $skin = new Automatic_Upgrader_Skin(); $done = ( new Plugin_Upgrader( $skin ) )->upgrade( '${FILE}' ); echo true === $done ? 'updated' : implode( ' ', $skin->get_upgrade_messages() );`,
      `define( 'DOING_CRON', true ); define( 'FS_METHOD', 'direct' );`,
    )
  const installed = () =>
    /Version: (.*)/.exec(readFileSync(join(wordpress.root, 'wp-content/plugins', FILE), 'utf8'))![1]

  test.each([
    ['signed with another key', () => publish({}, other.privateKey)],
    ['changed after it was signed', () => served.set('/release.json', Buffer.from('{}'))],
    ['of another plug-in', () => publish({ slug: 'another' })],
    ['without a sum', () => publish({ sha256: undefined })],
    ['without a signature', () => served.delete('/release.json.sig')],
  ])('whose description is %s is not offered', async (_, forge) => {
    await useKey()
    publish()
    forge()
    expect(await offered()).toBe('none')
  })

  test('is not offered without a key', async () => {
    await useKey('')
    publish()
    expect(await offered()).toBe('none')
  })

  test('whose zip is another one is refused', async () => {
    await useKey()
    publish({ sha256: '0'.repeat(64) })
    expect(await offered()).toBe('9.9.9')
    expect(await update()).toContain('not the zip that the release has signed')
    expect(installed()).not.toBe('9.9.9')
  })

  test('is offered and installed by WordPress itself', async () => {
    await useKey()
    publish()
    expect(await offered()).toBe('9.9.9')
    expect(await update()).toBe('updated')
    expect(installed()).toBe('9.9.9')
    expect(await offered()).toBe('none')
  })
})

test('PHP complains of nothing in the plug-in, and no token or secret is logged', () => {
  const said = wordpress.log()
  expect(said.split('\n').filter((line) => /plugins\/human-verification|Fatal/.test(line))).toEqual(
    [],
  )
  expect(said).not.toMatch(/eyJ|hv_secret_/)
})
