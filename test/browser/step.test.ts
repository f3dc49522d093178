/** The step of a second try, and a pass, in the widget and in the page of `requireHuman`. */
import { describe, expect, test } from '@jest/globals'
import express from 'express'
import { requireHuman } from '../../packages/client/src/express.ts'
import { SECRET } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { pass, PASS_KEY } from '../support/pass.ts'
import { begin, fetchForm, inChromium, MANAGED, on } from './stage.ts'

inChromium()

const HELPED = { success: true, score: 0.65 }
const TOO_LOW = { 'error-codes': ['low-score'] }
/** Begins with a form that stays on the page. */
async function beginToStay(): Promise<void> {
  await begin(MANAGED)
  await on.open(fetchForm(on.service.base))
  await on.fill()
}

describe('a low score that more evidence can help', () => {
  test('asks for the step by keyboard alone, and then sends the form automatically, once', async () => {
    await begin(MANAGED)
    await on.open()
    await on.fill()
    await on.page.keyboard.press('Enter')
    await on.until('asking')
    const button = on.page.getByRole('button', { name: 'Please confirm' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await on.status()).toBe('Please confirm')
    expect(on.customer.submissions).toEqual([])
    await on.page.locator('.svc-captcha .retry[aria-disabled=false]').waitFor()
    for (const key of ['Tab', 'Tab', 'Space']) await on.page.keyboard.press(key)
    expect((await on.arrived(1)).verdict).toMatchObject(HELPED)
    expect([on.calls('challenge').length, on.calls('solve').length]).toEqual([2, 2])
    const lines = on.service.lines().map((line) => line['step_up'])
    expect(lines.filter(Boolean)).toEqual(['asked', 'helped'])
    expect(JSON.stringify(on.service.lines())).not.toMatch(/eyJ[\w-]{20}/)
  })

  test('examines the browser again when its button is pressed', async () => {
    await begin(MANAGED)
    await on.open()
    // What a driver hides until the step is there.
    await on.page.evaluate(`
      const { debug } = console
      window.showAll = () => {
        console.debug = debug
        Object.defineProperty(navigator, 'webdriver', { value: true })
      }
      console.debug = () => {}
      Object.defineProperty(navigator, 'webdriver', { value: false, configurable: true })
    `)
    await on.fill()
    await on.page.keyboard.press('Enter')
    await on.page.locator('.svc-captcha .retry[aria-disabled=false]').waitFor()
    await on.page.evaluate('showAll()')
    await on.confirm()
    await on.arrived(1)
    expect(on.signals(0).automation).toMatchObject({ webdriver: 0, console: 0 })
    expect(on.signals(0).input).not.toHaveProperty('centred')
    // The button is in a shadow tree.
    expect(on.signals(1)).toMatchObject({
      automation: { webdriver: 1, console: 1 },
      input: { presses: 1, centred: 1 },
    })
  })

  test('is not confirmed by a press of a script: the form goes on with what it has', async () => {
    await begin(MANAGED)
    await on.open()
    await on.press()
    const button = on.page.locator('.svc-captcha .asking .retry[aria-disabled=false]')
    await button.evaluate((one: HTMLElement) => one.click())
    expect((await on.arrived(1)).verdict).toMatchObject(TOO_LOW)
  })

  test('asks once in a visit: the next form is sent immediately', async () => {
    await beginToStay()
    await on.page.getByText('Free').click()
    await on.confirm()
    await on.received(1)
    await on.page.getByText('Free').click()
    await on.received(2)
    expect(on.customer.submissions[1]!.verdict).toMatchObject(TOO_LOW)
  })

  test('looks the same, and asks for the same, whether the step helped or not', async () => {
    const seen = async (isConfirmed: boolean) => {
      await beginToStay()
      // The service cannot confirm the press, so the step does not help this visit.
      await on.page.route('**/api/v1/solve', (route) =>
        route.continue({
          postData: isConfirmed
            ? undefined
            : route.request().postData()!.replace('pressed%22%3A1', 'pressed%22%3A0'),
        }),
      )
      await on.page.getByText('Free').click()
      await on.confirm()
      await on.received(1)
      await on.page.mouse.move(0, 0)
      const answers = on
        .calls('solve')
        .map(async (call) => Object.keys((await (await call.response())!.json()) as object))
      return {
        passed: on.customer.submissions[0]!.verdict['success'],
        status: await on.status(),
        tree: await on.page.locator('.svc-captcha').ariaSnapshot(),
        answers: await Promise.all(answers),
      }
    }
    const helped = await seen(true)
    expect(helped).toMatchObject({ passed: true, status: 'Verified' })
    expect(await seen(false)).toEqual({ ...helped, passed: false })
  })
})

test('a pass in the address goes with the first form and is removed; the next form has its own token', async () => {
  await begin({ passKeys: [PASS_KEY], scoreThreshold: 0.9 })
  // The ledger's generation is older than the pass by a minute.
  on.service.parts.ledger.beganAt = () => 1 as never
  const iat = Math.floor(Date.now() / 1000)
  await on.page.goto(
    `${on.customer.url}/#hv=${await pass({ hostname: '127.0.0.1', iat, exp: iat + 300 })}`,
  )
  await on.until('idle')
  expect(on.page.url()).toBe(`${on.customer.url}/`)
  await on.press()
  expect((await on.arrived(1)).verdict).toMatchObject({ success: true, score: 0.9 })
  // It went to no server but the customer's own, in the form.
  expect(on.requests.filter((one) => one.url().includes('hv='))).toEqual([])
  await on.openForm()
  await on.press()
  expect((await on.arrived(2)).verdict).toMatchObject(TOO_LOW)
})

/**
 * Opens a shop whose handler answers with the fields that it was given.
 *
 * @param isStrict whether the shop's own proxy forbids inline scripts.
 * @returns the forms that it was sent.
 */
async function openShop(isStrict = false): Promise<Record<string, string>[]> {
  await begin({ ...MANAGED, stepUp: 'ticket' })
  const { base } = on.service
  const sent: Record<string, string>[] = []
  const human = requireHuman({
    url: base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['127.0.0.1'],
    stepUpMessage: 'Noch ein Schritt',
  })
  const app = express()
    .use(express.urlencoded())
    .get('/', (_req, res) => {
      res.send(`<!doctype html><form method="post"><input name="email" value="a&amp;b">${container(base)}
        <button>Send</button></form><script src="${base}/assets/captcha.js" defer></script>`)
    })
    .post('/', (req, res, next) => {
      sent.push(req.body as Record<string, string>)
      const set = res.setHeader.bind(res)
      if (isStrict)
        res.setHeader = (name, value) =>
          set(name, name === 'content-security-policy' ? `script-src ${base}` : value)
      next()
    })
    .post(
      '/',
      human,
      (req, res) => void res.send(`<h1>Welcome, ${(req.body as { email: string }).email}</h1>`),
    )
  await on.page.goto(await on.serve(app))
  await on.page.getByRole('button', { name: 'Send' }).click()
  return sent
}

test('the page of a second try from `requireHuman` shows the step immediately, needs one press, and sends the same fields', async () => {
  const sent = await openShop()
  await on.page.getByText('Noch ein Schritt').first().waitFor()
  await on.confirm()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent.map(({ email }) => email)).toEqual(['a&b', 'a&b'])
})

test('the page of a second try has a button in the customer’s words where its own script did not run', async () => {
  const sent = await openShop(true)
  await on.page.locator('.svc-captcha .box.idle').waitFor()
  await on.page.getByRole('button', { name: 'Noch ein Schritt' }).click()
  await on.confirm()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent).toHaveLength(2)
})
