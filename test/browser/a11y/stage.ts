import { UNSURE } from '../../support/unsure.ts'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { seconds } from '../../../src/domain/words.ts'
import { loadAssets } from '../../../src/http/assets.ts'
import type { SvcCaptcha } from '../../../widget/captcha.d.ts'
import { site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { launch } from '../../support/chromium.ts'
import { redisStores } from '../../support/redis-stores.ts'
import { post } from '../../support/visitor.ts'
import { type Customer, startCustomer } from '../../support/customer.ts'

declare const svcCaptcha: SvcCaptcha

const ASSETS = fileURLToPath(new URL('../../../dist/assets', import.meta.url))
const WAIT = { state: 'attached', timeout: 20_000 } as const

export const openChromium = (): Promise<Browser> => {
  if (!existsSync(`${ASSETS}/captcha.js`)) throw new Error('dist/assets is empty: npm run build:widget makes it')
  return launch()
}

/** A service, two more of it that are in the mood some states need, and a customer's site. */
export interface Stage {
  readonly services: Readonly<Record<'usual' | 'busy' | 'brief' | 'unsure', TestService>>
  readonly customer: Customer
  close(): Promise<void>
}

/** One visitor in a minute gets in: the next one's widget waits that long by itself. */
const ONE_AT_A_TIME = { points: 1, per: seconds(60) }
const plenty = { points: 1_000_000, per: seconds(60) }

export async function startStage(): Promise<Stage> {
  const assets = loadAssets(ASSETS)
  // What a driven browser scores is not the question here.
  const policy = { hostnames: ['127.0.0.1'], scoreThreshold: 0 }
  const stores = await redisStores()
  const usual = await testService({ assets, siteList: [site(policy)], ...(await stores.open('usual')) })
  const busy = await testService({
    assets,
    siteList: [site(policy)],
    ...(await stores.open('busy', {
      challenge: ONE_AT_A_TIME,
      solve: plenty,
      siteverify: plenty,
      fallback: plenty,
      junk: plenty,
      ticket: plenty,
      invalidSecret: plenty,
    })),
  })
  const brief = await testService({
    assets,
    // Its tokens are over while one looks.
    siteList: [site({ ...policy, tokenLifetime: seconds(2) })],
    ...(await stores.open('brief')),
  })
  const unsure = await testService({
    assets,
    siteList: [site({ ...policy, scoreThreshold: 0.5, stepUp: 'managed', weights: UNSURE })],
    ...(await stores.open('unsure')),
  })
  const customer = await startCustomer(usual.base)
  return {
    services: { usual, busy, brief, unsure },
    customer,
    async close() {
      await customer.close()
      await Promise.all([usual, busy, brief, unsure].map((one) => one.stop(0)))
      await stores.close()
    },
  }
}

export const STATES = [
  'idle',
  'working',
  'holding',
  'waiting',
  'asked',
  'asking',
  'confirmed',
  'lost',
  'ready',
  'verified',
  'expired',
  'failed',
  'unsent',
  'misplaced',
] as const
/** The states of the contract; `holding`, `unsent` and `misplaced` are those in which the visitor reads something else; `asked`,
 * `confirmed` and `lost` are those of the step: before its button takes a press, after the press, and where the network then goes. */
export type Shown = (typeof STATES)[number]

/** Whether a state is one of the step of a second try. */
export const isOfStep = (shown: Shown): boolean => ['asked', 'asking', 'confirmed', 'lost'].includes(shown)

export const SIZES = ['normal', 'compact', 'flexible', 'invisible'] as const
export type Size = (typeof SIZES)[number]

export interface Looks {
  readonly theme?: 'light' | 'dark'
  /** One form for each. */
  readonly sizes?: readonly Size[]
  /** Of the page; the widget takes the nearest. */
  readonly language?: string
  /** Whether its site asks for the step; default: in the states of the step. */
  readonly step?: boolean
}

const STYLE = `body { margin: 12px; font: 16px sans-serif; background: #fff; color: #222 } form > * { margin-block: 8px }
  body.dark { background: #12151a; color: #e8e8e8 } .dark input, .dark form > button { background: #222; color: #eee }`

/** A customer's page, its forms as plain and as accessible as a form can be. */
export function formPage(stage: Stage, shown: Shown, looks: Looks = {}): string {
  const { theme = 'light', sizes = ['normal'], language = 'en', step = isOfStep(shown) } = looks
  const { usual, busy, brief, unsure } = stage.services
  const others: Partial<Record<Shown, TestService>> = { waiting: busy, expired: brief }
  const service = others[shown] ?? (step ? unsure : usual)
  // A container's address counts only where the script comes from there.
  stage.customer.script = `<script src="${service.base}/assets/captcha.js?v=1" defer></script>`
  const attributes = [
    `data-sitekey="${SITEKEY}"`,
    shown === 'misplaced' ? '' : 'data-action="sign-up"',
    `data-api-base="${service.base}/" data-theme="${theme}"`,
    shown === 'expired' ? 'data-start="manual"' : '',
    'data-retry-interval="100"',
  ].join(' ')
  const forms = sizes.map(
    (size, at) => `<form method="post" action="/handle" target="frame">
      <input name="email" aria-label="Email" autocomplete="off">
      <div class="svc-captcha" ${attributes} data-size="${size}"></div>
      <button id="send${at || ''}">Send</button>
    </form>`,
  )
  const dir = ['ar', 'he', 'fa', 'ur'].includes(language) ? 'rtl' : 'ltr'
  return `<style>${STYLE}</style><script>document.body.className = '${theme}'</script>
    <main lang="${language}" dir="${dir}"><h1>Shop</h1>${forms.join('')}
    <iframe name="frame" title="Answer" hidden></iframe></main>`
}

/** Opens the page and leads the real widget into a state; the network may be slow or gone, nothing else is played. */
export async function bring(page: Page, stage: Stage, shown: Shown, looks: Looks = {}): Promise<void> {
  stage.customer.page = formPage(stage, shown, looks)
  await page.context().setOffline(false)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().clearCookies()
  if (isOfStep(shown)) {
    const value = shown === 'asked' ? 'never' : 'soon'
    await page.context().addCookies([{ name: 'opens', value, url: stage.customer.url }])
    await page.addInitScript(moveTimer)
  }
  await page.goto(stage.customer.url)
  await page
    .locator('.svc-captcha .box')
    .nth((looks.sizes?.length ?? 1) - 1)
    .waitFor(WAIT)
  if (shown === 'waiting') await fillUp(stage)
  await STEPS[shown](page)
}

/** The three seconds before the button takes a press never end, or are over at once; the service is not asked what it thinks of that. */
function moveTimer(): void {
  const real = window.setTimeout
  const [, opens] = /opens=(\w+)/.exec(document.cookie) ?? []
  const moved = (act: () => void, ms = 0) =>
    ms < 3000 || ms > 3500 || !opens ? real(act, ms) : opens === 'soon' ? real(act, 50) : 0
  Object.assign(window, { setTimeout: moved })
}

/** Gives the widgets of the page another theme, and the page with them. */
export async function putTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate((name) => {
    document.body.className = name
    for (const one of document.querySelectorAll<HTMLElement>('.svc-captcha')) one.dataset['theme'] = name
  }, theme)
  await page.locator(`.svc-captcha .box.${theme}`).first().waitFor(WAIT)
}

/** Gives the widget of the page another size. */
export async function putSize(page: Page, size: Size): Promise<void> {
  await page.evaluate((name) => (document.querySelector<HTMLElement>('.svc-captcha')!.dataset['size'] = name), size)
  await page.locator(`.svc-captcha .box.${size}`).waitFor(WAIT)
}

/** Takes the one place there is, until it is gone. */
async function fillUp({ services: { busy }, customer }: Stage): Promise<void> {
  const ask = { sitekey: SITEKEY, action: 'sign-up' }
  while ((await post(`${busy.base}/api/v1/challenge`, ask, { origin: customer.url })).status === 200);
}

/** All widgets of the page are there. */
async function reached(page: Page, state: string): Promise<void> {
  const count = await page.locator('.svc-captcha').count()
  await page
    .locator(`.svc-captcha .box.${state}`)
    .nth(count - 1)
    .waitFor({ ...WAIT, timeout: 30_000 })
}
async function touch(page: Page): Promise<void> {
  for (const field of await page.locator('[name=email]').all()) await field.focus()
}
async function send(page: Page): Promise<void> {
  for (const button of await page.locator('[id^=send]').all()) await button.click()
}
const execute = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('.svc-captcha')) svcCaptcha.execute(one).catch(() => {})
  })
async function confirm(page: Page): Promise<void> {
  for (const button of await page.locator('.svc-captcha .asking .retry').all()) await button.click()
}
/** A network on which nothing arrives. */
const stall = (page: Page): Promise<void> => page.route('**/api/v1/*', () => {}).then(() => {})
const goOffline = (page: Page): Promise<void> => page.context().setOffline(true)
/** The service is out of reach, and the browser is online. */
export const cutOff = (page: Page): Promise<void> => page.route('**/api/v1/*', (route) => route.abort()).then(() => {})

const STEPS: Readonly<Record<Shown, (page: Page) => Promise<void>>> = {
  async idle() {},
  async working(page) {
    await stall(page)
    await touch(page)
    await reached(page, 'working')
  },
  async holding(page) {
    await stall(page)
    await send(page)
    await reached(page, 'working')
  },
  async waiting(page) {
    await touch(page)
    await reached(page, 'waiting')
  },
  async asked(page) {
    await send(page)
    await reached(page, 'asking')
  },
  async asking(page) {
    await send(page)
    await reached(page, 'asking')
    await page.locator('.svc-captcha .asking .retry[aria-disabled=false]').last().waitFor()
  },
  async confirmed(page) {
    await STEPS.asking(page)
    await stall(page)
    await confirm(page)
    await reached(page, 'working')
  },
  async lost(page) {
    await STEPS.asking(page)
    await goOffline(page)
    await confirm(page)
    await reached(page, 'failed')
  },
  async ready(page) {
    await touch(page)
    await reached(page, 'ready')
  },
  async verified(page) {
    await execute(page)
    await reached(page, 'verified')
    // The next work is begun by itself; the picture of this state does not depend on it.
    await page.waitForTimeout(200)
  },
  async expired(page) {
    await execute(page)
    await reached(page, 'verified')
    // The next work is done before the network goes, and the token then cannot be renewed.
    await page.waitForTimeout(700)
    await goOffline(page)
    await reached(page, 'expired')
  },
  async failed(page) {
    await cutOff(page)
    await touch(page)
    await reached(page, 'failed')
  },
  async unsent(page) {
    await cutOff(page)
    await send(page)
    await reached(page, 'failed')
  },
  async misplaced(page) {
    await touch(page)
    await reached(page, 'failed')
  },
}
