/** Markup of other services' pages: they have `compat.js` in place of the service's script, and our sitekey. docs/start/migrate.md */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { SITEKEY } from '../../support/app.ts'
import { launch, type Stage, stage } from '../../browser/stage.ts'
import type { Action } from '../../../src/domain/words.ts'

let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  on = await stage(browser, { defaultAction: 'sign-up' as Action })
})
afterEach(() => on.close())

type As = 'turnstile' | 'hcaptcha' | 'grecaptcha'

const tokens = (): Promise<string[]> => on.page.evaluate('tokens')
const compat = (as: As, query = ''): string =>
  `<script id="compat" src="${on.service.base}/assets/compat.js?as=${as}&v=1${query}"></script>`

async function nextToken(count = 1): Promise<string> {
  await on.page.waitForFunction(`tokens.length >= ${count}`)
  return (await tokens()).at(-1)!
}

describe.each([
  { as: 'turnstile', className: 'cf-turnstile', field: 'cf-turnstile-response' },
  { as: 'hcaptcha', className: 'h-captcha', field: 'h-captcha-response' },
  { as: 'grecaptcha', className: 'g-recaptcha', field: 'g-recaptcha-response' },
] as const)('markup of $as', ({ as, className, field }) => {
  const inForm = (attributes = ''): string => `<form id="form" method="post" action="/handle">
    <div class="${className}" data-sitekey="${SITEKEY}" data-callback="solved" ${attributes}></div>
    <button id="send" disabled>Send</button></form>`
  const enabling = `<script>var tokens = []; function solved(token) { tokens.push(token); document.getElementById('send').disabled = false }</script>`
  const fieldValue = (): string => on.customer.submissions[0]!.fields.find(([name]) => name === field)?.[1] ?? ''

  test('a button that the callback enables is enabled, and the form carries the field', async () => {
    on.customer.script = compat(as)
    on.customer.page = enabling + inForm()
    await on.open()
    await on.page.locator('#send:enabled').click()
    await on.received(1)
    expect(await on.verified(fieldValue())).toBe(true)
  })

  test('render=explicit and onload: the page renders, reads, resets', async () => {
    on.customer.script = compat(as, '&render=explicit&onload=loaded')
    on.customer.page = `<script>var tokens = [], id
      function loaded() { id = ${as}.render('place', { sitekey: '${SITEKEY}', callback: (token) => tokens.push(token) }) }</script><div id="place"></div>`
    await on.open()
    const token = await nextToken()
    expect(await on.page.evaluate(`${as}.getResponse(id)`)).toBe(token)
    await on.page.evaluate(`${as}.reset(id)`)
    const second = await nextToken(2)
    expect([second === token, await on.verified(second)]).toEqual([false, true])
  })

  test('invisible: nothing before execute(), and a reset asks for nothing', async () => {
    on.customer.script = compat(as)
    on.customer.page = enabling + inForm('data-size="invisible"')
    await on.open()
    await on.page.locator('.box.idle').waitFor({ state: 'attached' })
    await on.page.evaluate(`void ${as}.execute()`)
    expect(await on.verified(await nextToken())).toBe(true)
    await on.page.evaluate(`${as}.reset()`)
    await on.page.locator('.box.idle').waitFor({ state: 'attached' })
    expect([await on.page.evaluate(`${as}.getResponse()`), (await tokens()).length]).toEqual(['', 1])
  })
})

test('a button of the class asks for a token when it is pressed, and the callback sends the form', async () => {
  on.customer.script = compat('grecaptcha')
  on.customer.page = `<script>function onSubmit() { document.getElementById('form').submit() }</script>
    <form id="form" method="post" action="/handle"><input name="email" value="a@example.com">
    <button class="g-recaptcha" data-sitekey="${SITEKEY}" data-callback="onSubmit" data-action="sign-up">Send</button></form>`
  await on.open()
  await on.page.getByText('Send').click()
  await on.received(1)
  const { fields } = on.customer.submissions[0]!
  expect(fields.map(([name]) => name)).toEqual(['email', 'g-recaptcha-response'])
  expect(await on.verified(fields[1]![1])).toBe(true)
})

test('grecaptcha.ready and enterprise.execute(sitekey, {action}) work before the script has loaded', async () => {
  on.customer.script = compat('grecaptcha', `&render=${SITEKEY}`)
  on.customer.page = `<script>var tokens = []
    grecaptcha.enterprise.ready(() => grecaptcha.enterprise.execute('${SITEKEY}', { action: 'sign-up' }).then((token) => tokens.push(token)))</script>`
  await on.open()
  expect(await on.verified(await nextToken())).toBe(true)
})
