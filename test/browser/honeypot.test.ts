/** data-honeypot: a field that programs fill in and people never meet. docs/widget/honeypot.md */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import type { WireSignals } from '../../src/wire.ts'
import { axeFinds } from '../support/axe.ts'
import { container } from '../support/customer.ts'
import { launch, type Stage, stage } from './stage.ts'

let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  on = await stage(browser)
})
afterEach(() => on.close())

const page = (
  attributes = '',
  own = '',
): string => `<!doctype html><html lang="en"><title>Sign up</title><main><h1>Sign up</h1>
  <form method="post" action="/handle"><label>Email <input name="email"></label>${own}
  ${container(on.service.base, `data-honeypot="website" ${attributes}`)}<button>Send</button></form></main></html>`
const website = () => on.page.locator('[name=website]')
async function open(html: string): Promise<void> {
  on.customer.page = html
  await on.open()
  await website().waitFor({ state: 'attached' })
}
async function reported(): Promise<WireSignals['page']> {
  await on.page.getByText('Send').click()
  await on.arrived(1)
  return (JSON.parse(new URLSearchParams(on.calls('solve')[0]!.postData()!).get('signals')!) as WireSignals).page
}

test('a person neither sees the field nor meets it on the way of the Tab key, and leaves it empty', async () => {
  await open(page())
  const { x, y } = (await website().boundingBox())!
  const isSeen = await on.page.evaluate(
    (at) => document.elementFromPoint(at.x + 1, at.y + 1) === document.querySelector('[name=website]'),
    { x, y },
  )
  await on.page.getByLabel('Email').focus()
  const met: (string | null)[] = []
  for (let i = 0; i < 4; i++) {
    await on.page.keyboard.press('Tab')
    met.push(await on.page.evaluate(() => document.activeElement!.getAttribute('name')))
  }
  expect({ isSeen, met }).toEqual({ isSeen: false, met: expect.not.arrayContaining(['website']) as unknown })
  expect(await reported()).toMatchObject({ honeypot: 0 })
  expect(on.customer.submissions[0]!.fields).toContainEqual(['website', ''])
})

test('a program that fills every field of the form is told of', async () => {
  await open(page())
  await on.page.evaluate(() => {
    for (const field of document.forms[0]!.querySelectorAll<HTMLInputElement>('input:not([type=hidden])'))
      field.value = 'Buy now'
  })
  expect(await reported()).toMatchObject({ honeypot: 1 })
})

test('a reader of a screen is told in its language to leave the field empty', async () => {
  await open(page('data-language="he"'))
  const label = on.page.locator('label', { has: website() })
  expect([await label.innerText(), await label.getAttribute('lang'), await label.getAttribute('dir')]).toEqual([
    expect.stringContaining('יש להשאיר שדה זה ריק'),
    'he',
    'rtl',
  ])
  expect(await on.page.getByRole('textbox', { name: 'יש להשאיר שדה זה ריק' }).count()).toBe(1)
})

test('axe-core finds nothing', async () => {
  await open(page())
  expect(await axeFinds(on.page)).toEqual([])
})

test("the page's own field is watched where it is, and none is made", async () => {
  await open(page('', '<p hidden><label>Website <input name="website" id="own"></label></p>'))
  expect(await website().evaluateAll((all) => all.map(({ id }) => id))).toEqual(['own'])
  await website().evaluate((field) => void ((field as HTMLInputElement).value = 'x'))
  expect(await reported()).toMatchObject({ honeypot: 1 })
})

test('the field goes with the widget', async () => {
  await open(page())
  await on.page.evaluate(() => window.svcCaptcha!.remove())
  expect(await website().count()).toBe(0)
})

test('a strict policy on styles does not show it', async () => {
  on.customer.headers = { 'content-security-policy': `script-src ${on.service.base}; style-src 'none'` }
  await open(page())
  expect((await on.page.locator('label', { has: website() }).boundingBox())!.width).toBeLessThanOrEqual(1)
})
