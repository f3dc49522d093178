import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launch, type Stage, stage } from './stage.ts'
import { seconds } from '../../src/domain/words.ts'

/** The third rung: workers in a hidden frame of the service's, on pages that refuse workers. */
let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  // A second or two of work, to do something in between.
  on = await stage(browser, { work: { level: 4, maxLevel: 6, humanCost: seconds(60), fallback: true } })
  on.customer.headers = { 'content-security-policy': "worker-src 'none'" }
})
afterEach(() => on.close())

async function begin(): Promise<void> {
  await on.page.goto(on.customer.url)
  await on.until('idle')
  await on.page.getByLabel('Email').focus()
}
const someWorkIsDone = (): Promise<unknown> =>
  on.page.waitForFunction(() => {
    const box = document.querySelector('.svc-captcha > div')?.shadowRoot?.querySelector<HTMLElement>('.box.working')
    return Number(box?.style.getPropertyValue('--done')) > 0
  })
async function accepted(): Promise<unknown> {
  await on.page.getByText('Send').click()
  await on.received(1)
  await on.page.getByRole('heading', { name: 'received' }).waitFor()
  return on.customer.submissions[0]!.verdict['success']
}
const inFrame = (): boolean => on.frames.some((url) => url.includes('/assets/captcha-frame.html'))

describe('the frame', () => {
  test('is never seen, whatever the style sheets of the page say, and is gone when the work is done', async () => {
    on.customer.page +=
      '<style>iframe, iframe[hidden] { display: block !important; width: 300px; height: 300px }</style>'
    await begin()
    const frame = on.page.locator('.svc-captcha iframe')
    await frame.waitFor({ state: 'attached' })
    expect(await frame.isVisible()).toBe(false)
    await on.until('ready')
    expect(await frame.count()).toBe(0)
    expect(on.page.workers()).toHaveLength(0)
    expect(await accepted()).toBe(true)
  })

  test('that is moved with its form, and so loses its workers, does not stop the work', async () => {
    await begin()
    await someWorkIsDone()
    expect(inFrame()).toBe(true)
    await on.page.evaluate(() => {
      document.body.append(document.createElement('main'))
      document.querySelector('main')!.append(document.querySelector('form')!)
    })
    await on.until('ready')
    expect(await accepted()).toBe(true)
  })

  test('that goes when the page empties the container leaves the rest to the page, and a script has its token', async () => {
    await begin()
    const token = on.page.evaluate(() => window.svcCaptcha!.execute())
    await someWorkIsDone()
    expect(inFrame()).toBe(true)
    await on.page.evaluate(() => document.querySelector('.svc-captcha')!.replaceChildren())
    expect(await token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('works on a page that is isolated from other origins', async () => {
    Object.assign(on.customer.headers, {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    })
    await begin()
    await on.until('ready')
    expect(inFrame()).toBe(true)
    expect(on.workers.length).toBeGreaterThan(0)
    expect(await accepted()).toBe(true)
  })

  test.each([
    { when: 'cannot be had', answer: 'abort' },
    { when: 'is another page', answer: 'other' },
    { when: 'never comes', answer: 'hang' },
  ])('that $when leaves the work to the page', async ({ answer }) => {
    await on.page.route('**/captcha-frame.html*', (route) => {
      if (answer === 'abort') return route.abort()
      if (answer === 'other') return route.fulfill({ body: '<!doctype html><p>An older version</p>' })
      return undefined
    })
    await begin()
    await on.until('ready')
    expect(on.workers).toEqual([])
    expect(await accepted()).toBe(true)
  })
})

test("the frame's page runs its one script and nothing else, and may be framed by anybody", async () => {
  const answer = await fetch(`${on.service.base}/assets/captcha-frame.html?v=1`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; worker-src blob:; base-uri 'none'; form-action 'none'$/,
  )
  expect(answer.headers.get('x-frame-options')).toBe(null)
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(answer.headers.get('cross-origin-embedder-policy')).toBe('require-corp')
  const script = await fetch(`${on.service.base}/assets/captcha.js?v=1`)
  expect(script.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})
