/** The plug-in beside the real WooCommerce: HV_WORDPRESS_PLUGINS names a folder that has it, HV_WORDPRESS a WordPress that it supports. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { testService, type TestService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { ROOT } from '../support/root.ts'
import { REFUSED, SITES, UNAVAILABLE, useSite, wrongTokens } from './sites.ts'
import { OTHER_PLUGINS, startWordPress, type WordPress } from './start.ts'

const isThere = OTHER_PLUGINS !== undefined && existsSync(join(OTHER_PLUGINS, 'woocommerce'))
const ORDER = '?rest_route=/wc/store/v1/checkout'
const ADDRESS = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  address_1: '1 Street',
  city: 'Berlin',
  postcode: '10115',
  country: 'DE',
  state: '',
  email: 'ada@example.com',
  phone: '',
}
const SHOP = `
  require_once ABSPATH . 'wp-admin/includes/plugin.php';
  activate_plugin( 'woocommerce/woocommerce.php' );`
const PRODUCT = `
  WC_Install::create_pages();
  update_option( 'woocommerce_coming_soon', 'no' );
  update_option( 'woocommerce_onboarding_profile', array( 'skipped' => true ) );
  update_option( 'woocommerce_cod_settings', array( 'enabled' => 'yes', 'title' => 'Cash' ) );
  update_option( 'woocommerce_default_country', 'DE' );
  update_option( 'woocommerce_task_list_hidden', 'yes' );
  $product = new WC_Product_Simple();
  $product->set_name( 'Tea' ); $product->set_regular_price( '5' ); $product->set_virtual( true );
  $product->set_status( 'publish' ); echo $product->save();`

let wordpress: WordPress
let service: TestService
let browser: Browser
let context: BrowserContext
let page: Page
let product: string

;(isThere ? describe : describe.skip)('the checkout block of WooCommerce', () => {
  beforeAll(async () => {
    service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
    wordpress = await startWordPress(['woocommerce'])
    await wordpress.php(SHOP)
    product = await wordpress.php(PRODUCT)
    browser = await launch()
  }, 300_000)
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await use('people')
  })
  afterEach(() => context.close())

  const use = (name: string, url = service.base) =>
    useSite(wordpress, { name, forms: ['wc-checkout'], url })

  /** Puts the product into the cart of this context. @returns the nonce that the Store API asks for. */
  async function fillCart(): Promise<string> {
    const cart = await context.request.get(`${wordpress.url}/?rest_route=/wc/store/v1/cart`)
    const { nonce } = cart.headers()
    const added = await context.request.post(
      `${wordpress.url}/?rest_route=/wc/store/v1/cart/add-item`,
      { headers: { nonce: nonce! }, data: { id: Number(product), quantity: 1 } },
    )
    expect(added.status()).toBe(201)
    return nonce!
  }

  /** Orders as a program does. */
  async function order(nonce: string, token?: string, path = ORDER) {
    const extensions = token === undefined ? {} : { 'human-verification': { token } }
    const data = { billing_address: ADDRESS, payment_method: 'cod', extensions }
    const answer = await context.request.post(`${wordpress.url}/${path}`, {
      headers: { nonce },
      data,
    })
    return { status: answer.status(), body: (await answer.json()) as Record<string, unknown> }
  }

  /** Opens the checkout with a filled cart, and fills it in. */
  async function openCheckout(): Promise<void> {
    await fillCart()
    const checkout = await wordpress.php(`echo wc_get_page_permalink( 'checkout' );`)
    await page.goto(checkout)
    await page.locator('svc-captcha-box').first().waitFor({ state: 'attached' })
    await page.locator('#email').fill(ADDRESS.email)
    const fields = { first_name: 'Ada', last_name: 'Lovelace', address_1: '1 Street' }
    for (const [name, text] of Object.entries({ ...fields, city: 'Berlin', postcode: '10115' }))
      await page.locator(`#billing-${name}`).fill(text)
  }

  /** Presses the button. @returns the request of the order. */
  async function pressOrder() {
    const sent = page.waitForRequest((one) => {
      return (
        one.method() === 'POST' &&
        decodeURIComponent(one.url()).endsWith('/v1/checkout&_locale=site')
      )
    })
    await page.getByRole('button', { name: 'Place Order' }).click()
    return sent
  }
  const tokenOf = (data: string | null) =>
    (JSON.parse(data ?? '{}') as { extensions: Record<string, { token: string }> }).extensions[
      'human-verification'
    ]!.token

  test('lets a person order once; the token orders nothing again', async () => {
    await openCheckout()
    const token = tokenOf((await pressOrder()).postData())
    await page.waitForURL(/order-received/)
    const nonce = await fillCart()
    expect(await order(nonce, token)).toMatchObject({ status: 422, body: { message: REFUSED } })
  })

  test.each([
    ['without a token', ORDER],
    ['by the address without a version', '?rest_route=/wc/store/checkout'],
    ['in other letters', '?rest_route=/WC/Store/V1/Checkout'],
    ['with a line end behind the address', `${ORDER}%0A`],
    ['for an order that waits for its payment', `${ORDER}/1`],
    ['that calls itself an express payment', `${ORDER}&payment_request_type=apple_pay`],
  ])('refuses a program %s', async (_, path) => {
    const { status, body } = await order(await fillCart(), undefined, path)
    expect({ status, message: body['message'] }).toEqual({ status: 422, message: REFUSED })
  })

  test.each([
    ['GET', { path: `${ORDER}&_method=POST`, headers: {} }],
    ['PUT', { path: ORDER, headers: { 'x-http-method-override': 'POST' } }],
  ])('refuses a program whose %s calls itself a POST', async (method, { path, headers }) => {
    const answer = await context.request.fetch(`${wordpress.url}/${path}`, {
      method,
      headers: { ...headers, nonce: await fillCart() },
      data: { billing_address: ADDRESS, payment_method: 'cod' },
    })
    expect(answer.status()).toBe(422)
    expect(await answer.text()).toContain(REFUSED)
  })

  /** A token that the script of the checkout gets on the page of a product, as a button for express payments does. */
  async function tokenOfProductPage(): Promise<string> {
    await page.goto(`${wordpress.url}/?p=${product}`)
    const isOrder = (url: URL) => url.href.includes('v1%2Fcheckout') || url.href.includes(ORDER)
    const sent = page.waitForRequest((one) => isOrder(new URL(one.url())))
    // The token stays unused.
    await page.route(isOrder, (route) => route.abort())
    const request = `{ path: '/wc/store/v1/checkout', method: 'POST', data: {} }`
    await page.evaluate(`wp.apiFetch(${request}).catch(() => {})`)
    return tokenOf((await sent).postData())
  }

  test('gives an express payment of a product’s page a token, which one order of a batch can use', async () => {
    const headers = { nonce: await fillCart() }
    const token = await tokenOfProductPage()
    const body = {
      billing_address: ADDRESS,
      payment_method: 'cod',
      extensions: { 'human-verification': { token } },
    }
    const one = { method: 'POST', path: '/wc/store/v1/checkout', headers, body }
    const answer = await context.request.post(`${wordpress.url}/?rest_route=/wc/store/v1/batch`, {
      headers,
      data: { requests: [one, one] },
    })
    const { responses } = (await answer.json()) as { responses: { status: number }[] }
    expect(responses.map(({ status }) => status)).toEqual([200, 422])
  })

  /** Presses the button of a classic form. @returns the request with the token. */
  async function pressClassic(): Promise<Request> {
    await page.locator('svc-captcha-box').first().waitFor({ state: 'attached' })
    const sent = page.waitForRequest((one) => (one.postData() ?? '').includes('svc-response=eyJ'))
    await page.locator('#place_order').click()
    return sent
  }
  /** Sends again what a browser has sent, with another token, or with the same. @returns the answer. */
  async function again(request: Request, token?: string): Promise<string> {
    const form = new URLSearchParams(request.postData()!)
    if (token !== undefined) form.set('svc-response', token)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await context.request.post(request.url(), { data: form.toString(), headers })
    return answer.text()
  }
  /** Each token that lets nobody in, a used one (undefined) and none among them. */
  const badTokens = async () => [
    undefined,
    '',
    ...(await wrongTokens(page, service.base, 'checkout')),
  ]

  test('the classic checkout lets a person order once, and nobody without a token', async () => {
    const content = `array( 'post_type' => 'page', 'post_status' => 'publish', 'post_content' => '[woocommerce_checkout]' )`
    const id = await wordpress.php(`echo wp_insert_post( ${content} );`)
    const block = await wordpress.php(`echo get_option( 'woocommerce_checkout_page_id' );`)
    await wordpress.php(`update_option( 'woocommerce_checkout_page_id', ${id} );`)
    const orders = () =>
      wordpress.php(`echo wc_orders_count( 'processing' ) + wc_orders_count( 'on-hold' );`)
    await fillCart()
    await page.goto(`${wordpress.url}/?page_id=${id}`)
    const fields = { first_name: 'Ada', last_name: 'Lovelace', address_1: '1 Street' }
    const more = { city: 'Berlin', postcode: '10115', email: ADDRESS.email, phone: '030123456' }
    for (const [name, text] of Object.entries({ ...fields, ...more }))
      await page.locator(`#billing_${name}`).fill(text)
    const wrong = await badTokens()
    const request = await pressClassic()
    await page.waitForURL(/order-received/)
    const before = await orders()
    await fillCart()
    for (const token of wrong) expect(await again(request, token)).toContain(REFUSED)
    expect(await orders()).toBe(before)
    await wordpress.php(`update_option( 'woocommerce_checkout_page_id', ${block} );`)
  })

  test('an order that is paid later is paid once by a person, and by nobody without a token', async () => {
    const make = `$order = wc_create_order(); $order->add_product( wc_get_product( ${product} ) ); $order->calculate_totals(); $order->save();`
    const print = `echo wp_json_encode( array( 'id' => $order->get_id(), 'url' => $order->get_checkout_payment_url() ) );`
    const made = async () =>
      JSON.parse(await wordpress.php(make + print)) as { id: number; url: string }
    const stateOf = (id: number) => wordpress.php(`echo wc_get_order( ${id} )->get_status();`)
    const [first, second] = [await made(), await made()]
    await page.goto(first.url)
    const wrong = await badTokens()
    const token = new URLSearchParams((await pressClassic()).postData()!).get('svc-response')!
    await page.waitForURL(/order-received/)
    expect(await stateOf(first.id)).toBe('processing')
    await page.goto(second.url)
    const nonce = await page.locator('[name=woocommerce-pay-nonce]').inputValue()
    const fields = { woocommerce_pay: '1', payment_method: 'cod', 'woocommerce-pay-nonce': nonce }
    for (const other of wrong) {
      const form = { ...fields, 'svc-response': other ?? token }
      const answer = await context.request.post(second.url, { form })
      expect(await answer.text()).toContain(REFUSED)
    }
    expect(await stateOf(second.id)).toBe('pending')
  })

  describe('a card that is added in the account', () => {
    const gateway = `add_action( 'woocommerce_init', function () {
      final class HV_Gateway extends WC_Payment_Gateway {
        public $id = 'card'; public $title = 'Card'; public $enabled = 'yes';
        public $supports = array( 'add_payment_method', 'tokenization' );
        function add_payment_method() {
          error_log( 'card was tried' );
          return array( 'result' => 'success', 'redirect' => home_url( '/?added' ) );
        }
      }
      add_filter( 'woocommerce_payment_gateways', fn( $all ) => array( new HV_Gateway() ) );
      add_filter( 'woocommerce_payment_gateway_add_payment_method_delay', '__return_zero' );
    } );`
    let place: string
    let account: string
    beforeAll(async () => {
      place = join(wordpress.root, 'wp-content/mu-plugins/card.php')
      writeFileSync(place, `<?php ${gateway}`)
      account = await wordpress.php(
        `echo wc_get_endpoint_url( 'add-payment-method', '', wc_get_page_permalink( 'myaccount' ) );`,
      )
    })
    afterAll(() => rmSync(place))

    /** Returns how often the gateway was asked. */
    const tries = () => wordpress.log().match(/card was tried/g)?.length ?? 0
    async function openAccount(): Promise<void> {
      const form = { log: 'member', pwd: 'correct horse' }
      await context.request.post(`${wordpress.url}/wp-login.php`, { form, maxRedirects: 0 })
      await page.goto(account)
    }

    test('is tried once for a person, and not for a program', async () => {
      await openAccount()
      const wrong = await badTokens()
      const before = tries()
      const request = await pressClassic()
      await page.waitForURL(/\?added/)
      expect(tries()).toBe(before + 1)
      for (const token of wrong) expect(await again(request, token)).toContain(REFUSED)
      expect(tries()).toBe(before + 1)
    })

    test('is not tried for a stock driver, nor while the service is down', async () => {
      await use('drivers')
      await openAccount()
      const before = tries()
      const request = await pressClassic()
      await page.getByText(REFUSED).first().waitFor()
      await use('people', 'http://127.0.0.1:1')
      expect(await again(request)).toContain(UNAVAILABLE)
      expect(tries()).toBe(before)
    })
  })

  test('shows the refusal of a stock driver above the button, and orders nothing', async () => {
    await use('drivers')
    await openCheckout()
    await pressOrder()
    await page.getByText(REFUSED).first().waitFor()
    expect(page.url()).not.toContain('order-received')
  })

  test('is closed while the service is down, and says so', async () => {
    await use('people', 'http://127.0.0.1:1')
    const { status, body } = await order(await fillCart(), 'not-a-token')
    expect(status).toBe(503)
    expect(body['message']).toContain(UNAVAILABLE)
  })

  test('leaves the cart, and what the block saves while the visitor types, alone', async () => {
    const nonce = await fillCart()
    const answer = await context.request.put(`${wordpress.url}/${ORDER}`, {
      headers: { nonce },
      data: { payment_method: 'cod' },
    })
    expect(answer.status()).toBe(200)
  })

  test('lets a payment pass that a gateway has confirmed, and no other', async () => {
    const confirm = `add_filter( 'human_verification_payment_confirmed', fn( $is, $request ) => 'paid' === $request->get_header( 'x-gateway' ), 10, 2 );`
    writeFileSync(join(wordpress.root, 'wp-content/mu-plugins/gateway.php'), `<?php ${confirm}`)
    const headers = { nonce: await fillCart(), 'x-gateway': 'paid' }
    const data = { billing_address: ADDRESS, payment_method: 'cod' }
    const send = (with_: Record<string, string>) =>
      context.request.post(`${wordpress.url}/${ORDER}`, { headers: with_, data })
    expect((await send({ ...headers, 'x-gateway': 'other' })).status()).toBe(422)
    expect((await send(headers)).status()).toBe(200)
    rmSync(join(wordpress.root, 'wp-content/mu-plugins/gateway.php'))
  })

  test('PHP complains of nothing in the plug-in, and no token or secret is logged', () => {
    expect(wordpress.complaints()).toEqual([])
    expect(wordpress.log()).not.toMatch(/eyJ|hv_secret_/)
  })
})
