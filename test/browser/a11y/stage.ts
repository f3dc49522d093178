import type { Page } from 'playwright-core'
import { seconds } from '../../../src/domain/words.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import type { SvcCaptcha } from '../../../widget/captcha.d.ts'
import { PLENTY, SITEKEY, type TestService } from '../../support/app.ts'
import { post } from '../../support/visitor.ts'
import { backstage, MANAGED } from '../stage.ts'

declare const svcCaptcha: SvcCaptcha

const WAIT = { state: 'attached', timeout: 30_000 } as const

/** As much of Playwright's page as the states need. */
export interface StagePage {
  context(): {
    setOffline(isOffline: boolean): Promise<void>
    clearCookies(): Promise<void>
  }
  goto(url: string): Promise<unknown>
  route(url: string, handler: (route: { abort(): Promise<void> }) => unknown): Promise<unknown>
  unrouteAll(options: { behavior: 'ignoreErrors' }): Promise<void>
  evaluate(act: () => unknown): Promise<unknown>
  locator(selector: string): StageLocator
  setExtraHTTPHeaders(headers: Record<string, string>): Promise<void>
  waitForTimeout(ms: number): Promise<void>
  readonly keyboard: { press(key: string): Promise<void> }
  readonly mouse: { move(x: number, y: number): Promise<void> }
}
export interface StageLocator {
  waitFor(options?: typeof WAIT): Promise<void>
  focus(): Promise<void>
  click(): Promise<void>
  evaluate(act: (node: Element) => unknown): Promise<unknown>
}

export type Stage = Awaited<ReturnType<typeof startStage>>

/** A customer's site, its service, and three more for the states that need them. */
export async function startStage() {
  // An address is refused at 25 times its rate.
  const one = { points: 1 / 25, per: seconds(60) }
  const [usual, busy, brief, unsure] = await Promise.all([
    backstage(),
    // One visitor in a minute gets in: the next one's widget waits.
    backstage({}, { limiter: budgetLimiter(memoryLimits(), { ...PLENTY, challenge: one }) }),
    // Its tokens expire during a test.
    backstage({ tokenLifetime: seconds(2) }),
    backstage(MANAGED),
  ])
  return {
    services: {
      usual: usual.service,
      busy: busy.service,
      brief: brief.service,
      unsure: unsure.service,
    },
    customer: usual.customer,
    received: (count: number) => usual.received(count),
  }
}

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

/** Returns when the button of the step is enabled. */
function opensOf(shown: Shown): '' | 'never' | 'soon' {
  if (!isOfStep(shown)) return ''
  return shown === 'asked' ? 'never' : 'soon'
}

/** Returns a customer's page with a form, as plain and accessible as can be. */
function formPage(stage: Stage, shown: Shown, looks: Looks): string {
  const { theme = 'light', language = 'en', step = isOfStep(shown) } = looks
  const { usual, busy, brief, unsure } = stage.services
  const opens = opensOf(shown)
  const others: Partial<Record<Shown, TestService>> = { waiting: busy, expired: brief }
  const service = others[shown] ?? (step ? unsure : usual)
  // A container's address counts only where the script comes from there.
  stage.customer.script = `<script src="${service.base}/assets/captcha.js?v=1" defer></script>`
  const attributes = [
    `data-sitekey="${SITEKEY}" data-api-base="${service.base}/" data-theme="${theme}" data-retry-interval="100"`,
    shown === 'misplaced' ? '' : 'data-action="sign-up"',
    shown === 'expired' ? 'data-start="manual"' : '',
  ].join(' ')
  return `<style>${STYLE}</style><script>document.body.className = '${theme}'; (${String(moveTimers)})('${opens}')</script>
    <main lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><h1>Shop</h1>
    <form method="post" action="/handle" target="frame">
      <input name="email" aria-label="Email" autocomplete="off"><div class="svc-captcha" ${attributes}></div><button id="send">Send</button>
    </form>
    <iframe name="frame" title="Answer" hidden></iframe></main>`
}

/** Opens the page and brings the real widget into a state; the network may be slow or gone. */
export async function bring(
  page: StagePage,
  stage: Stage,
  shown: Shown,
  looks: Looks = {},
): Promise<void> {
  stage.customer.page = formPage(stage, shown, looks)
  await page.context().setOffline(false)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(stage.customer.url)
  await page.locator('.svc-captcha .box').waitFor(WAIT)
  if (shown === 'waiting') await fillUp(stage)
  await REACH[shown](page)
}

/** In the page: a call never times out. The three seconds before the button is enabled never end, or are over at once. */
function moveTimers(opens: string): void {
  const real = window.setTimeout
  const moved = (act: () => void, ms = 0) => {
    if (ms === 10_000) return 0
    if (ms < 3000 || ms > 3500 || !opens) return real(act, ms)
    return opens === 'soon' ? real(act, 50) : 0
  }
  Object.assign(window, { setTimeout: moved })
}

/** Gives the widget of the page another theme or size, and the page the theme. */
export async function put(page: Page, what: 'theme' | 'size', value: string): Promise<void> {
  if (what === 'theme')
    await page.evaluate((to) => {
      document.body.className = to
    }, value)
  await page
    .locator('.svc-captcha')
    .evaluate((node, [name, to]) => node.setAttribute(name, to), [`data-${what}`, value] as const)
  await page.locator(`.svc-captcha .box.${value}`).waitFor(WAIT)
}

/** Uses up the one visit that the busy service allows. */
async function fillUp({ services: { busy }, customer }: Stage): Promise<void> {
  const ask = { sitekey: SITEKEY, action: 'sign-up' }
  while (
    (await post(`${busy.base}/api/v1/challenge`, ask, { origin: customer.url })).status === 200
  );
}

export const reached = (page: StagePage, state: string): Promise<void> =>
  page.locator(`.svc-captcha .box.${state}`).waitFor(WAIT)
const touch = (page: StagePage): Promise<void> => page.locator('[name=email]').focus()
export const send = (page: StagePage): Promise<void> => page.locator('#send').click()
const execute = (page: StagePage): Promise<unknown> =>
  page.evaluate(() => void svcCaptcha.execute().catch(() => {}))
const refuse = (page: StagePage): Promise<unknown> => page.evaluate(() => svcCaptcha.refused())
const confirm = (page: StagePage): Promise<void> =>
  page.locator('.svc-captcha .asking .retry').click()
/** A network on which nothing arrives. */
const stall = (page: StagePage): Promise<unknown> => page.route('**/api/v1/*', () => {})
const goOffline = (page: StagePage): Promise<void> => page.context().setOffline(true)
/** The service is out of reach, and the browser is online. */
export const cutOff = (page: StagePage): Promise<unknown> =>
  page.route('**/api/v1/*', (route) => route.abort())

/** Does these steps, one after the other, and waits for a state. */
const via =
  (state: string, ...steps: readonly ((page: StagePage) => Promise<unknown>)[]) =>
  async (page: StagePage): Promise<void> => {
    for (const step of steps) await step(page)
    await reached(page, state)
    // The layout may have put a button below the pointer: its colours would be those of a hovered one.
    await page.mouse.move(0, 0)
  }
const verify = via('verified', execute)
const ask = via('asking .retry[aria-disabled=false]', send)

/** How each state is reached; docs/widget/accessibility.md describes them. */
const REACH = {
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
  refused: via('failed', verify, refuse),
  offline: via('failed', goOffline, touch),
  failed: via('failed', cutOff, touch),
  unsent: via('failed', cutOff, send),
  misplaced: via('failed', touch),
}
export type Shown = keyof typeof REACH
export const SHOWN = Object.keys(REACH) as Shown[]
