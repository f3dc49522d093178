/** data-bind: a token goes with the values that it was made for, and with no others. docs/widget/bind.md */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { container } from '../support/customer.ts'
import { launch, type Stage, stage } from './stage.ts'

let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  on = await stage(browser, { bind: true })
  on.customer.bind = ['email', 'topic', 'amount', 'text']
})
afterEach(() => on.close())

/** A field of each kind that a browser sends, and of each that it does not. */
const fields = (attributes = ''): string => `<form method="post" action="/handle" id="form">
  <input name="amount" value="12">
  <input name="email" aria-label="Email">
  <input name="topic" type="checkbox" value="a" checked><input name="topic" type="checkbox" value="b">
  <input name="topic" type="radio" value="c" checked>
  <select name="topic" multiple><option selected>d</option><option selected disabled>e</option><option>f</option></select>
  <input name="topic" value="g" disabled><fieldset disabled><input name="topic" value="h"></fieldset>
  <textarea name="text" aria-label="Text"></textarea>
  ${container(on.service.base, `data-bind="email, topic,amount,text" ${attributes}`)}
  <button name="topic" value="i" type="button">None</button>
  <button>Send</button>
</form>`
const send = () => on.page.getByText('Send').click()
const verdicts = () => on.customer.submissions.map(({ verdict }) => verdict['error-codes'])

test('a form is accepted with the values that its token was made for, of whatever kind its fields are', async () => {
  on.customer.page = fields()
  await on.open()
  await on.page.getByLabel('Email').fill('Zoë@example.com')
  await on.page.getByLabel('Text').fill('one\ntwo ✓')
  await send()
  await on.arrived(1)
  expect(verdicts()).toEqual([[]])
  expect(on.customer.submissions[0]!.fields.filter(([name]) => name === 'topic')).toHaveLength(3)
})

test('a token that is carried to other values is refused', async () => {
  on.customer.page = `${fields()}<script>document.getElementById('form').addEventListener('submit', (event) => {
    document.querySelector('[name=email]').value = 'thief@example.com' })</script>`
  await on.open()
  await on.page.getByLabel('Email').fill('a@example.com')
  await send()
  await on.arrived(1)
  expect(verdicts()).toEqual([['bind-mismatch']])
})

test('a token from a page that binds nothing is refused', async () => {
  on.customer.page = fields().replace(/data-bind="[^"]*"/, '')
  await on.open()
  await send()
  await on.arrived(1)
  expect(verdicts()).toEqual([['bind-mismatch']])
})

test('a field that is edited after the token was made gets another token, before a script can read the old one', async () => {
  on.customer.page = fields('data-execution="render"')
  await on.open()
  await on.until('verified')
  const old = await on.page.evaluate(() => window.svcCaptcha!.getResponse())
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.page.getByLabel('Email').press('Tab')
  await on.page.waitForFunction((first) => ![first, ''].includes(window.svcCaptcha!.getResponse()), old)
  await send()
  await on.arrived(1)
  expect([verdicts(), on.calls('solve').length]).toEqual([[[]], 2])
})

test('values that a script changes without a word have a token of their own at the submit', async () => {
  on.customer.page = fields('data-execution="render"')
  await on.open()
  await on.until('verified')
  await on.page.evaluate(() => void (document.querySelector<HTMLInputElement>('[name=email]')!.value = 'b@example.com'))
  await send()
  await on.arrived(1)
  expect([verdicts(), on.calls('solve').length]).toEqual([[[]], 2])
})

test('where its script cannot be had, the form is held, and the page hears of it by our event alone', async () => {
  on.customer.page = fields()
  const thrown: string[] = []
  on.page.on('pageerror', ({ message }) => thrown.push(message))
  await on.page.route(/captcha-rare/, (route) => route.abort())
  await on.open()
  await send()
  await on.until('failed')
  expect([thrown, on.customer.submissions]).toEqual([[], []])
})
