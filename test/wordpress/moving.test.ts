/** The move from the real plug-ins with a captcha, as far as HV_WORDPRESS_PLUGINS has them, and the way back. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { testService, type TestService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { ROOT } from '../support/root.ts'
import { REFUSED, SITES, useSite } from './sites.ts'
import { OTHER_PLUGINS, startWordPress, type WordPress } from './start.ts'

/** A plug-in: its file, its name on our page, PHP that has it guard three forms, and what it puts into a form. */
interface Captcha {
  file: string
  name: string
  guard: string
  box: string
}
const CAPTCHAS: readonly Captcha[] = [
  {
    file: 'hcaptcha-for-forms-and-more/hcaptcha.php',
    name: 'hCaptcha',
    guard: `update_option( 'hcaptcha_settings', array(
      'site_key' => '10000000-ffff-ffff-ffff-000000000001', 'secret_key' => '0x0',
      'wp_status' => array( 'login', 'register', 'comment' ) ) );`,
    box: '<h-captcha',
  },
  {
    file: 'simple-cloudflare-turnstile/simple-cloudflare-turnstile.php',
    name: 'Simple Cloudflare Turnstile',
    guard: `foreach ( array( 'key', 'secret', 'login', 'register', 'comment' ) as $name ) update_option( "cfturnstile_$name", '1' );
      update_option( 'cfturnstile_tested', 'yes' );`,
    box: 'cf-turnstile',
  },
  {
    file: 'altcha-spam-protection/altcha.php',
    name: 'ALTCHA',
    guard: `foreach ( array( 'login', 'register', 'comments' ) as $name ) update_option( "altcha_integration_wordpress_$name", 'captcha' );
      update_option( 'altcha_integration_wordpress_reset_password', '' );`,
    box: '<altcha-widget',
  },
  {
    file: 'google-captcha/google-captcha.php',
    name: 'reCaptcha by BestWebSoft',
    guard: `$own = array( 'public_key' => 'a', 'private_key' => 'b', 'login_form' => 1, 'registration_form' => 1, 'comments_form' => 1, 'reset_pwd_form' => 0 );
      update_option( 'gglcptch_options', array_merge( gglcptch_get_default_options(), $own ) );`,
    box: 'class="gglcptch',
  },
]
const isHere = ({ file }: Captcha) =>
  OTHER_PLUGINS !== undefined && existsSync(join(OTHER_PLUGINS, file))
const LOAD = `require_once ABSPATH . 'wp-admin/includes/plugin.php';`
const BOX = 'class="svc-captcha"'

let wordpress: WordPress
let service: TestService
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  const here = CAPTCHAS.filter(isHere)
  if (here.length === 0) return
  service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
  wordpress = await startWordPress(here.map(({ file }) => file.split('/')[0]!))
  browser = await launch()
}, 300_000)

for (const captcha of CAPTCHAS)
  (isHere(captcha) ? describe : describe.skip)(`a move from ${captcha.name}`, () => {
    const { file, name, guard, box } = captcha
    const php = (line: string) => wordpress.php(`${LOAD} ${line}`)
    const deactivate = () => php(`deactivate_plugins( '${file}' );`)
    const activate = async () => {
      expect(await php(`echo json_encode( activate_plugin( '${file}' ) );`)).toContain('null')
    }
    const protectedForms = async () =>
      JSON.parse(
        await wordpress.php(`echo json_encode( HumanVerification\\settings()['forms'] );`),
      ) as string[]
    const loginPage = async () => (await fetch(`${wordpress.url}/wp-login.php`)).text()

    beforeEach(async () => {
      await useSite(wordpress, { name: 'people', forms: ['lost-password'], url: service.base })
      context = await browser.newContext()
      page = await context.newPage()
      page.setDefaultTimeout(60_000)
    })
    afterEach(async () => {
      await context.close()
      await deactivate()
    })

    /** Logs in as a program does, which has no token. @returns the page, or '' where it is sent on to another. */
    async function logIn(by: BrowserContext, log: string): Promise<string> {
      const form = { log, pwd: 'correct horse' }
      const options = { form, maxRedirects: 0 }
      const answer = await by.request.post(`${wordpress.url}/wp-login.php`, options)
      return /\/wp-admin\//.test(answer.headers()['location'] ?? '') ? '' : answer.text()
    }

    /** Opens our page. A plug-in that was activated may lead to a page of its own, once. */
    async function openSettings(): Promise<void> {
      const settings = `${wordpress.url}/wp-admin/options-general.php?page=human-verification`
      await page.goto(settings)
      if (page.url() !== settings) await page.goto(settings)
    }

    test('guards the same forms here, and goes back', async () => {
      expect(await logIn(context, 'admin')).toBe('')
      await activate()
      await php(guard)
      // It guards the log-in: its box is there, and a log-in without it is refused.
      expect(await loginPage()).toContain(box)
      expect(await loginPage()).not.toContain(BOX)
      const stranger = await browser.newContext()
      expect(await logIn(stranger, 'member')).toContain('login_error')
      await openSettings()
      await page.getByText(`${name} guards: Log-in, Registration, Comments.`).waitFor()
      await page.getByRole('button', { name: 'Protect these forms here' }).click()
      await page.getByText('then deactivate it under Plugins').waitFor()
      expect(await protectedForms()).toEqual(['login', 'registration', 'lost-password', 'comment'])
      // Until the other one is deactivated, visitors are asked twice.
      for (const one of [box, BOX]) expect(await loginPage()).toContain(one)
      await deactivate()
      expect(await loginPage()).not.toContain(box)
      const visitor = await stranger.newPage()
      await visitor.goto(`${wordpress.url}/wp-login.php`)
      await visitor.locator('[name=log]').fill('member')
      await visitor.locator('[name=pwd]').fill('correct horse')
      await visitor.locator('#wp-submit').click()
      // A page of the administration loads much after its address is known.
      await visitor.waitForURL(/\/wp-admin\//, { waitUntil: 'commit' })
      await stranger.clearCookies()
      expect(await logIn(stranger, 'member')).toContain(REFUSED)
      // The way back: the other one has kept its settings.
      await activate()
      await openSettings()
      await page.getByRole('button', { name: 'Go back' }).click()
      await page.getByText(`${name} guards`).waitFor()
      expect(await protectedForms()).toEqual(['lost-password'])
      expect(await loginPage()).toContain(box)
      expect(await loginPage()).not.toContain(BOX)
      await stranger.close()
    }, 300_000)

    test('PHP complains of nothing in the plug-in', () => {
      expect(wordpress.complaints()).toEqual([])
    })
  })
