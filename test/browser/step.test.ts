/** The step of a second try, in the widget; and a pass, in a browser that runs no script. */
import { describe, expect, test } from '@jest/globals'
import type { WireSignals } from '../../src/wire.ts'
import { UNSURE } from '../support/unsure.ts'
import { pass, PASS_KEY } from '../support/pass.ts'
import { begin, browser, fetchForm, form, inChromium, on } from './stage.ts'

const MANAGED = { stepUp: 'managed', weights: UNSURE, scoreThreshold: 0.5 } as const
inChromium()

const button = () => on.page.getByRole('button', { name: 'Please confirm' })
const openButton = () => on.page.locator('.svc-captcha .retry:not([aria-disabled=true])')

describe('a low score that more evidence can help', () => {
  test('asks for the step, by keyboard alone, and then sends the form by itself, once', async () => {
    await begin(MANAGED)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.keyboard.press('Enter')
    await on.until('asking')
    expect(await button().getAttribute('aria-disabled')).toBe('true')
    expect(await on.status()).toBe('Please confirm')
    expect(on.customer.submissions).toEqual([])
    await openButton().waitFor()
    await on.page.keyboard.press('Tab')
    await on.page.keyboard.press('Tab')
    await on.page.keyboard.press('Space')
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true, score: 0.65 })
    expect([on.calls('challenge').length, on.calls('solve').length]).toEqual([2, 2])
    const lines = on.service.lines().map((line) => line['step_up'])
    expect(lines.filter(Boolean)).toEqual(['asked', 'helped'])
    expect(JSON.stringify(on.service.lines())).not.toMatch(/eyJ[\w-]{20}/)
  })

  test('looks at the browser when its button is pressed, whatever it saw before', async () => {
    await begin(MANAGED)
    await on.open()
    // What a driver keeps out until the step is there.
    await on.page.evaluate(`
      const { debug } = console
      window.showAll = () => {
        console.debug = debug
        Object.defineProperty(navigator, 'webdriver', { value: true })
      }
      console.debug = () => {}
      Object.defineProperty(navigator, 'webdriver', { value: false, configurable: true })
    `)
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.keyboard.press('Enter')
    await openButton().waitFor()
    await on.page.evaluate('showAll()')
    await openButton().click()
    await on.arrived(1)
    const [first, second] = on
      .calls('solve')
      .map((call) => JSON.parse(new URLSearchParams(call.postData()!).get('signals')!) as WireSignals)
    expect(first!.automation).toMatchObject({ webdriver: 0, console: 0 })
    expect(first!.input).not.toHaveProperty('centred')
    // The button is in a shadow tree.
    expect(second).toMatchObject({ automation: { webdriver: 1, console: 1 }, input: { presses: 1, centred: 1 } })
  })

  test('a press that a script made confirms nothing: the form goes on with what it has', async () => {
    await begin(MANAGED)
    await on.open()
    await on.page.getByRole('button', { name: 'Send' }).click()
    await openButton().waitFor()
    await openButton().evaluate((one: HTMLElement) => one.click())
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ 'error-codes': ['low-score'] })
  })

  test('is asked for once in a visit: the next form goes at once', async () => {
    await begin(MANAGED)
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByRole('button', { name: 'Free' }).click()
    await openButton().click()
    await on.received(1)
    await on.page.getByRole('button', { name: 'Free' }).click()
    await on.received(2)
    expect(on.customer.submissions[1]!.verdict).toMatchObject({ 'error-codes': ['low-score'] })
  })

  test('looks the same, and asks for the same, whether it helped or not', async () => {
    const seen = async (isConfirmed: boolean) => {
      await begin(MANAGED)
      on.customer.page = fetchForm(on.service.base)
      await on.open()
      // The service cannot tell that somebody pressed: a visit that the step does not help.
      await on.page.route('**/api/v1/solve', (route) =>
        route.continue({
          postData: isConfirmed ? undefined : route.request().postData()!.replace('pressed%22%3A1', 'pressed%22%3A0'),
        }),
      )
      await on.page.getByLabel('Email').fill('a@example.com')
      await on.page.getByRole('button', { name: 'Free' }).click()
      await openButton().click()
      await on.received(1)
      await on.page.mouse.move(0, 0)
      const box = on.page.locator('.svc-captcha')
      const answers = on
        .calls('solve')
        .map(async (call) => Object.keys((await (await call.response())!.json()) as object))
      return {
        passed: on.customer.submissions[0]!.verdict!['success'],
        state: await on.state(),
        status: await on.status(),
        tree: await box.ariaSnapshot(),
        answers: await Promise.all(answers),
      }
    }
    const helped = await seen(true)
    await on.close()
    expect(helped).toMatchObject({ passed: true, state: 'verified' })
    expect(await seen(false)).toEqual({ ...helped, passed: false })
  })

  test('an invisible widget shows it', async () => {
    await begin(MANAGED)
    on.customer.page = form(on.service.base, 'data-size="invisible"')
    await on.open()
    await on.page.getByRole('button', { name: 'Send' }).click()
    await openButton().waitFor({ state: 'visible' })
    await openButton().click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
  })

  test('where the service then refuses the ticket, the form goes on without', async () => {
    await begin(MANAGED)
    await on.open()
    await on.page.route('**/api/v1/challenge', (route) => {
      const { postData } = { postData: route.request().postData() ?? '' }
      return postData.includes('ticket=')
        ? route.continue({ postData: postData.replace(/ticket=.{9}/, 'ticket=AAAAAAAAA') })
        : route.continue()
    })
    await on.page.getByRole('button', { name: 'Send' }).click()
    await openButton().click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ 'error-codes': ['low-score'] })
  })
})

describe('a ticket of siteverify', () => {
  const refusedTicket = async () => {
    await begin({ ...MANAGED, stepUp: 'ticket' })
    await on.open()
    await on.page.getByRole('button', { name: 'Send' }).click()
    await on.arrived(1)
    const { step_up: ticket } = on.customer.submissions[0]!.verdict as { step_up: string }
    return ticket
  }
  test('in data-step-up asks for the step at the first submit, and the form gets through', async () => {
    const ticket = await refusedTicket()
    on.customer.page = form(on.service.base, `data-step-up="${ticket}"`)
    await on.open()
    await on.page.getByRole('button', { name: 'Send' }).click()
    await openButton().click()
    await on.arrived(2)
    expect(on.customer.submissions[1]!.verdict).toMatchObject({ success: true, score: 0.65 })
  })
  test('in svcCaptcha.stepUp() promises a token', async () => {
    const ticket = await refusedTicket()
    await on.open()
    await on.until('idle')
    const token = on.page.evaluate((given) => window.svcCaptcha!.stepUp(undefined, given), ticket)
    await openButton().click()
    expect(await on.verified(await token)).toBe(true)
  })
})

test.each([
  ['off', { ...MANAGED, stepUp: 'off' } as const],
  ['managed, of whom nothing more could help', { ...MANAGED, scoreThreshold: 0.9 } as const],
])('a visitor of a site that is %s meets no step', async (_what, change) => {
  await begin(change)
  await on.open()
  await on.page.getByRole('button', { name: 'Send' }).click()
  await on.arrived(1)
  expect(on.calls('solve')).toHaveLength(1)
})

describe('a pass', () => {
  const issued = (minutes = 5) => {
    const iat = Math.floor(Date.now() / 1000)
    return pass({ hostname: '127.0.0.1', iat, exp: iat + minutes * 60 })
  }
  /** The ledger's generation is older than a pass by a minute. */
  const withPasses = async () => {
    await begin({ passKeys: [PASS_KEY], scoreThreshold: 0.9 })
    const { ledger } = on.service.parts
    ledger.beganAt = () => 1 as never
  }

  test.each([
    ['in the address', (given: string) => ['', `#hv=${given}`]],
    ['in data-pass', (given: string) => [`data-pass="${given}"`, '']],
  ])('%s goes with the first form; the next one has a token of its own', async (_where, put) => {
    await withPasses()
    const [attributes, hash] = put(await issued()) as [string, string]
    on.customer.page = form(on.service.base, attributes)
    await on.page.goto(`${on.customer.url}/${hash}`)
    await on.page.getByRole('button', { name: 'Send' }).click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true, score: 0.9 })
    // It never went to a server but the customer's own, in the form.
    expect(on.requests.filter((one) => one.url().includes('hv='))).toEqual([])
    on.customer.page = form(on.service.base)
    await on.page.goto(on.customer.url)
    await on.page.getByRole('button', { name: 'Send' }).click()
    await on.arrived(2)
    expect(on.customer.submissions[1]!.verdict).toMatchObject({ 'error-codes': ['low-score'] })
  })

  test('is gone from the address as soon as the widget has it', async () => {
    await withPasses()
    await on.page.goto(`${on.customer.url}/#hv=${await issued()}`)
    await on.until('idle')
    expect(on.page.url()).toBe(`${on.customer.url}/`)
  })

  test('gets a form through without any script, once', async () => {
    await withPasses()
    on.customer.page = `<form method="post" action="/handle">
      <input name="email" aria-label="Email">
      <noscript><input type="hidden" name="svc-response" value="${await issued()}"></noscript>
      <button>Send</button>
    </form>`
    on.customer.script = ''
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    for (const success of [true, false]) {
      await page.goto(on.customer.url)
      await page.getByLabel('Email').fill('a@example.com')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: 'received' }).waitFor()
      expect(on.customer.submissions.at(-1)!.verdict).toMatchObject({ success })
    }
    await context.close()
  })
})
