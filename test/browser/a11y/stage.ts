import type { Page } from 'playwright-core'
import { seconds } from '../../../src/domain/words.ts'
import type { SvcCaptcha } from '../../../widget/captcha.d.ts'
import { PLENTY, site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { startCustomer } from '../../support/customer.ts'
import { redisStores } from '../../support/redis-stores.ts'
import { post } from '../../support/visitor.ts'
import { builtAssets, MANAGED } from '../stage.ts'

declare const svcCaptcha: SvcCaptcha

const WAIT = { state: 'attached', timeout: 30_000 } as const

/** A service, three more for the states that need them, and a customer's site. */
export type Stage = Awaited<ReturnType<typeof startStage>>

export async function startStage() {
  const assets = builtAssets()
  // The score of a driven browser does not matter here.
  const policy = { hostnames: ['127.0.0.1'], scoreThreshold: 0 }
  const stores = await redisStores()
  const start = async (name: string, change: Parameters<typeof site>[0] = {}, budgets = PLENTY) =>
    testService({ assets, siteList: [site({ ...policy, ...change })], ...(await stores.open(name, budgets)) })
  const services = {
    usual: await start('usual'),
    // One visitor in a minute gets in: the next one's widget waits.
    busy: await start('busy', {}, { ...PLENTY, challenge: { points: 1, per: seconds(60) } }),
    // Its tokens expire during a test.
    brief: await start('brief', { tokenLifetime: seconds(2) }),
    unsure: await start('unsure', MANAGED),
  }
  const customer = await startCustomer(services.usual.base)
  return {
    services,
    customer,
    async close(): Promise<void> {
      await customer.close()
      await Promise.all(Object.values(services).map((one) => one.stop(0)))
      await stores.close()
    },
  }
}

/** Each state, and what it is. */
export const STATES = {
  idle: 'nothing has begun',
  working: 'the work is being done',
  holding: 'a form was submitted and is held until the token is there',
  waiting: 'the service is busy and is asked again',
  asked: 'the visitor is asked for the step of a second try; its button does not take a press yet',
  asking: 'its button takes a press',
  confirmed: 'the step was done, and the form is held until the token is there',
  lost: 'the step was done and the network is gone: the form was not sent',
  ready: 'the work is done and kept',
  verified: 'there is a token',
  expired: 'the token has expired',
  failed: 'the service cannot be reached',
  unsent: 'the same, and a form was held: it was not sent',
  misplaced: 'the page is not set up correctly',
} as const
export type Shown = keyof typeof STATES
export const SHOWN = Object.keys(STATES) as Shown[]

const isOfStep = (shown: Shown): boolean => ['asked', 'asking', 'confirmed', 'lost'].includes(shown)

export const SIZES = ['normal', 'compact', 'flexible', 'invisible'] as const

export interface Looks {
  readonly theme?: 'light' | 'dark'
  /** Of the page; the widget takes the nearest. */
  readonly language?: string
  /** Whether its site asks for the step; default: in the states of the step. */
  readonly step?: boolean
}

const STYLE = `body { margin: 12px; font: 16px sans-serif; background: #fff; color: #222 } form > * { margin-block: 8px }
  body.dark { background: #12151a; color: #e8e8e8 } .dark input, .dark form > button { background: #222; color: #eee }`

/** Returns a customer's page with a form, as plain and accessible as can be. */
function formPage(stage: Stage, shown: Shown, looks: Looks): string {
  const { theme = 'light', language = 'en', step = isOfStep(shown) } = looks
  const { usual, busy, brief, unsure } = stage.services
  const others: Partial<Record<Shown, TestService>> = { waiting: busy, expired: brief }
  const service = others[shown] ?? (step ? unsure : usual)
  // A container's address counts only where the script comes from there.
  stage.customer.script = `<script src="${service.base}/assets/captcha.js?v=1" defer></script>`
  const attributes = [
    `data-sitekey="${SITEKEY}" data-api-base="${service.base}/" data-theme="${theme}" data-retry-interval="100"`,
    shown === 'misplaced' ? '' : 'data-action="sign-up"',
    shown === 'expired' ? 'data-start="manual"' : '',
  ].join(' ')
  return `<style>${STYLE}</style><script>document.body.className = '${theme}'</script>
    <main lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><h1>Shop</h1>
    <form method="post" action="/handle" target="frame">
      <input name="email" aria-label="Email" autocomplete="off"><div class="svc-captcha" ${attributes}></div><button id="send">Send</button>
    </form>
    <iframe name="frame" title="Answer" hidden></iframe></main>`
}

/** Opens the page and brings the real widget into a state; the network may be slow or gone. */
export async function bring(page: Page, stage: Stage, shown: Shown, looks: Looks = {}): Promise<void> {
  stage.customer.page = formPage(stage, shown, looks)
  await page.context().setOffline(false)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().clearCookies()
  if (isOfStep(shown)) {
    const value = shown === 'asked' ? 'never' : 'soon'
    await page.context().addCookies([{ name: 'opens', value, url: stage.customer.url }])
  }
  await page.addInitScript(moveTimers)
  await page.goto(stage.customer.url)
  await page.locator('.svc-captcha .box').waitFor(WAIT)
  if (shown === 'waiting') await fillUp(stage)
  await REACH[shown](page)
}

/** A call never times out. The three seconds before the button is enabled never end, or are over at once; only the page believes that. */
function moveTimers(): void {
  const real = window.setTimeout
  const [, opens] = /opens=(\w+)/.exec(document.cookie) ?? []
  const moved = (act: () => void, ms = 0) =>
    ms === 10_000 ? 0 : ms < 3000 || ms > 3500 || !opens ? real(act, ms) : opens === 'soon' ? real(act, 50) : 0
  Object.assign(window, { setTimeout: moved })
}

/** Gives the widget of the page another theme or size, and the page the theme. */
export async function put(page: Page, what: 'theme' | 'size', value: string): Promise<void> {
  await page.evaluate(
    ([name, to]) => {
      if (name === 'theme') document.body.className = to
      document.querySelector<HTMLElement>('.svc-captcha')!.dataset[name] = to
    },
    [what, value] as const,
  )
  await page.locator(`.svc-captcha .box.${value}`).waitFor(WAIT)
}

/** Uses up the one visit that the busy service allows. */
async function fillUp({ services: { busy }, customer }: Stage): Promise<void> {
  const ask = { sitekey: SITEKEY, action: 'sign-up' }
  while ((await post(`${busy.base}/api/v1/challenge`, ask, { origin: customer.url })).status === 200);
}

const reached = (page: Page, state: string): Promise<void> => page.locator(`.svc-captcha .box.${state}`).waitFor(WAIT)
const touch = (page: Page): Promise<void> => page.locator('[name=email]').focus()
const send = (page: Page): Promise<void> => page.locator('#send').click()
const execute = (page: Page): Promise<void> => page.evaluate(() => void svcCaptcha.execute().catch(() => {}))
const confirm = (page: Page): Promise<void> => page.locator('.svc-captcha .asking .retry').click()
/** A network on which nothing arrives. */
const stall = (page: Page): Promise<unknown> => page.route('**/api/v1/*', () => {})
const goOffline = (page: Page): Promise<void> => page.context().setOffline(true)
/** The service is out of reach, and the browser is online. */
export const cutOff = (page: Page): Promise<unknown> => page.route('**/api/v1/*', (route) => route.abort())

/** Does these steps, one after the other, and waits for a state. */
const via =
  (state: string, ...steps: readonly ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page)
    await reached(page, state)
  }
const verify = via('verified', execute)
const ask = via('asking .retry[aria-disabled=false]', send)

const REACH: Readonly<Record<Shown, (page: Page) => Promise<void>>> = {
  idle: via('idle'),
  working: via('working', stall, touch),
  holding: via('working', stall, send),
  waiting: via('waiting', touch),
  asked: via('asking', send),
  asking: ask,
  confirmed: via('working', ask, stall, confirm),
  lost: via('failed', ask, goOffline, confirm),
  ready: via('ready', touch),
  verified: verify,
  // The next work is done before the network goes, and the token then cannot be renewed.
  expired: via('expired', verify, (page) => page.waitForTimeout(700), goOffline),
  failed: via('failed', cutOff, touch),
  unsent: via('failed', cutOff, send),
  misplaced: via('failed', touch),
}
