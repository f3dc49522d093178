/** The plug-in beside the real plug-ins that make contact forms, as far as HV_WORDPRESS_PLUGINS has them. */
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { testService, type TestService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { ROOT } from '../support/root.ts'
import { REFUSED, SITES, UNAVAILABLE, useSite, wrongTokens } from './sites.ts'
import { OTHER_PLUGINS, startWordPress, type WordPress } from './start.ts'

/** A plug-in: its folder and main file, PHP that makes a form and prints its shortcode, and the form in the page. */
interface Builder {
  plugin: string
  form: string
  make: string
  fields: Readonly<Record<string, string>>
  done: string
  /** Where the fields and the button are; by default the form that the box is in. */
  within?: string
  /** An element of Elementor, which is the page. */
  element?: object
  /** Another plug-in that it stands on. */
  base?: string
  /** A file beside this one, which is what is sold and was not to be had. */
  standIn?: string
  /** What the page shows of an entry that was refused; by default the sentence. */
  failed?: string
  /** What it says itself of an entry that was refused, in the place of our sentences. */
  sentence?: string
}
const BUILDERS: readonly Builder[] = [
  {
    plugin: 'wpforms-lite/wpforms.php',
    form: 'wpforms',
    make: `
      $id = wp_insert_post( array( 'post_type' => 'wpforms', 'post_status' => 'publish', 'post_title' => 'Contact' ) );
      $form = array(
        'id' => $id, 'field_id' => 2,
        'fields' => array( 1 => array( 'id' => '1', 'type' => 'text', 'label' => 'Text' ) ),
        'settings' => array(
          'form_title' => 'Contact', 'submit_text' => 'Send', 'ajax_submit' => '1',
          'confirmations' => array( 1 => array( 'type' => 'message', 'message' => 'Thank you' ) ),
        ),
      );
      wp_update_post( array( 'ID' => $id, 'post_content' => wp_slash( wp_json_encode( $form ) ) ) );
      echo "[wpforms id=$id]";`,
    fields: { 'wpforms[fields][1]': 'Hello' },
    done: '.wpforms-confirmation-container-full',
  },
  {
    plugin: 'fluentform/fluentform.php',
    form: 'fluent',
    make: `
      wp_set_current_user( 1 );
      $form = ( new FluentForm\\App\\Services\\Form\\FormService() )->store( array( 'predefined' => 'basic_contact_form' ) );
      echo "[fluentform id={$form->id}]";`,
    fields: {
      'names[first_name]': 'Ada',
      email: 'ada@example.com',
      subject: 'Tea',
      message: 'Hello',
    },
    done: '.ff-message-success',
  },
  {
    plugin: 'forminator/forminator.php',
    form: 'forminator',
    make: `
      $text = array( 'element_id' => 'text-1', 'type' => 'text', 'cols' => '12', 'field_label' => 'Text' );
      $rows = array( array( 'wrapper_id' => 'wrapper-1', 'fields' => array( $text ) ) );
      $settings = array(
        'formName' => 'Contact', 'enable-ajax' => 'true', 'validation-inline' => true, 'form-type' => 'default',
        'thankyou' => 'true', 'submission-behaviour' => 'behaviour-thankyou', 'thankyou-message' => 'Thank you',
      );
      $id = Forminator_API::add_form( 'Contact', $rows, $settings );
      echo "[forminator_form id=$id]";`,
    fields: { 'text-1': 'Hello' },
    done: '.forminator-response-message.forminator-success',
  },
  {
    plugin: 'ninja-forms/ninja-forms.php',
    form: 'ninja',
    // The form that an installation begins with.
    make: `echo '[ninja_form id=1]';`,
    fields: {
      'nf-field-1-textbox': 'Ada',
      'nf-field-2-email': 'ada@example.com',
      'nf-field-3': 'Hello',
    },
    done: '.nf-response-msg p',
    within: '.nf-form-cont',
  },
  {
    plugin: 'contact-form-7/wp-contact-form-7.php',
    form: 'contact',
    make: `
      $form = WPCF7_ContactForm::get_template( array( 'title' => 'Contact' ) );
      $id = $form->save();
      echo "[contact-form-7 id=$id]";`,
    fields: {
      'your-name': 'Ada',
      'your-email': 'ada@example.com',
      'your-subject': 'Tea',
      'your-message': 'Hello',
    },
    done: 'form.sent',
    sentence: 'There was an error trying to send your message.',
  },
  {
    // The free edition of Elementor Pro, whose form it has.
    plugin: 'pro-elements/pro-elements.php',
    base: 'elementor/elementor.php',
    form: 'elementor',
    make: '',
    element: {
      id: 'f0f0f01',
      elType: 'widget',
      widgetType: 'form',
      settings: {
        form_name: 'Contact',
        form_fields: [{ _id: 'a1', custom_id: 'text', field_type: 'text', field_label: 'Text' }],
        submit_actions: ['email'],
        email_to: 'a@example.com',
        email_content: '[all-fields]',
      },
      elements: [],
    },
    fields: { 'form_fields[text]': 'Hello' },
    done: '.elementor-message-success',
  },
  {
    plugin: 'elementor/elementor.php',
    form: 'elementor',
    standIn: 'atomic.php',
    make: `update_option( 'elementor_experiment-e_atomic_elements', 'active' );`,
    element: {
      id: 'f0f0f02',
      elType: 'e-form',
      settings: {},
      elements: ['e-form-input', 'e-form-submit-button'].map((widgetType, at) => {
        return { id: `f0f0f1${at}`, elType: 'widget', widgetType, settings: {}, elements: [] }
      }),
    },
    fields: { text: 'Hello' },
    done: 'form.form-state-success',
    failed: 'form.form-state-error',
  },
]
const pluginsOf = ({ base, plugin }: Builder) => (base === undefined ? [plugin] : [base, plugin])
const here = (builder: Builder) =>
  OTHER_PLUGINS !== undefined &&
  pluginsOf(builder).every((plugin) => existsSync(join(OTHER_PLUGINS!, plugin)))
const nameOf = ({ plugin, standIn = '' }: Builder) => `${plugin.split('/')[0]!} ${standIn}`.trim()

let wordpress: WordPress
let service: TestService
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  if (!BUILDERS.some(here)) return
  service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
  const plugins = new Set(BUILDERS.filter(here).flatMap(pluginsOf))
  wordpress = await startWordPress([...plugins].map((plugin) => plugin.split('/')[0]!))
  browser = await launch()
}, 300_000)

/** What a refused visitor reads, what one who comes while the service is down, and where the page shows it. */
const sentencesOf = ({ sentence, failed }: Builder) => ({
  refused: sentence ?? REFUSED,
  closed: sentence ?? UNAVAILABLE,
  failed: failed ?? `text=${sentence ?? REFUSED}`,
})
const LOAD = `require_once ABSPATH . 'wp-admin/includes/plugin.php';`
const placeOf = (file: string) => join(wordpress.root, 'wp-content/mu-plugins', file)
/** Activates what a builder is made of. The others stay away: each page would load them as well. */
async function add(builder: Builder): Promise<void> {
  const { standIn } = builder
  if (standIn !== undefined) cpSync(join(import.meta.dirname, standIn), placeOf(standIn))
  for (const plugin of pluginsOf(builder))
    expect(
      await wordpress.php(`${LOAD} echo json_encode( activate_plugin( '${plugin}' ) );`),
    ).toMatch(/null$/)
}
async function remove(builder: Builder): Promise<void> {
  const plugins = pluginsOf(builder).toReversed()
  for (const plugin of plugins) await wordpress.php(`${LOAD} deactivate_plugins( '${plugin}' );`)
  if (builder.standIn !== undefined) rmSync(placeOf(builder.standIn), { force: true })
}
/** PHP that makes an element of Elementor the content of a post. */
function pageOf(post: string, element: object): string {
  const elements = [{ id: 'c0ffee0', elType: 'container', settings: {}, elements: [element] }]
  return `
    update_post_meta( ${post}, '_elementor_edit_mode', 'builder' );
    update_post_meta( ${post}, '_elementor_template_type', 'wp-post' );
    update_post_meta( ${post}, '_elementor_version', ELEMENTOR_VERSION );
    update_post_meta( ${post}, '_elementor_data', wp_slash( '${JSON.stringify(elements)}' ) );`
}

for (const builder of BUILDERS)
  (here(builder) ? describe : describe.skip)(`a form of ${nameOf(builder)}`, () => {
    const { form, make, fields, done, within = 'form:has(.svc-captcha)' } = builder
    const { refused, closed, failed } = sentencesOf(builder)
    const use = (name: string, url = service.base) =>
      useSite(wordpress, { name, forms: [form], url })
    let post: string
    beforeAll(async () => {
      await add(builder)
      const shortcode = await wordpress.php(make)
      const content = `array( 'post_title' => '${form}', 'post_content' => '${shortcode}', 'post_status' => 'publish' )`
      post = await wordpress.php(`echo wp_insert_post( ${content} );`)
      if (builder.element !== undefined) await wordpress.php(pageOf(post, builder.element))
    })
    afterAll(() => remove(builder))
    beforeEach(async () => {
      context = await browser.newContext()
      page = await context.newPage()
      page.setDefaultTimeout(60_000)
    })
    afterEach(() => context.close())

    /** Fills in the form and sends it. @returns the request with the entry. */
    async function send(): Promise<Request> {
      await page.goto(`${wordpress.url}/?p=${post}`)
      await page.locator('svc-captcha-box').waitFor({ state: 'attached' })
      for (const [name, text] of Object.entries(fields))
        await page.locator(`${within} [name="${name}"]`).fill(text)
      return press()
    }
    async function press(): Promise<Request> {
      const isEntry = (one: Request) =>
        one.url().startsWith(wordpress.url) && (one.postData() ?? '').includes('svc-response')
      const sent = page.waitForRequest(isEntry)
      await page.locator(`${within} :is([type=submit], .forminator-button-submit)`).click()
      return sent
    }
    /** Sends what a browser has sent again. @returns the answer. */
    async function again(request: Request, change = (body: string) => body): Promise<string> {
      const data = change(request.postData()!)
      const headers = { 'content-type': request.headers()['content-type']! }
      const answer = await context.request.post(request.url(), { data, headers })
      return answer.text()
    }

    test('lets a person in, and the same entry again, with a wrong token or without one, not', async () => {
      await use('people')
      const request = await send()
      await page.locator(done).first().waitFor()
      expect(await again(request)).toContain(refused)
      const without = (body: string) => body.replaceAll('svc-response', 'other')
      expect(await again(request, without)).toContain(refused)
      for (const token of await wrongTokens(page, service.base, 'contact-form')) {
        const other = (body: string) => body.replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, token)
        expect(await again(request, other)).toContain(refused)
      }
    })

    test('shows the refusal of a stock driver, whose next try has another token', async () => {
      await use('drivers')
      const first = await send()
      await page.locator(failed).first().waitFor()
      expect(await page.locator(done).count()).toBe(0)
      const second = await press()
      expect(second.postData()).not.toBe(first.postData())
    })

    test('is closed while the service is down, and says so', async () => {
      await use('people')
      const request = await send()
      await page.locator(done).first().waitFor()
      await use('people', 'http://127.0.0.1:1')
      expect(await again(request)).toContain(closed)
    })

    test('PHP complains of nothing in the plug-in, and no token or secret is logged', () => {
      expect(wordpress.complaints()).toEqual([])
      expect(wordpress.log()).not.toMatch(/eyJ|hv_secret_/)
    })
  })
