import { expect, test } from '@jest/globals'
import { begin, form, inChromium, on } from './stage.ts'

/** What the visitor reads, in Chromium. */
inChromium(() => begin())

const box = () => on.page.locator('.svc-captcha .box')
const label = () => on.page.locator('.svc-captcha .label')

test.each([
  {
    says: 'the nearest lang wins over the page',
    page: 'de',
    near: 'fr',
    set: '',
    language: 'fr',
    reads: 'Je suis humain',
  },
  { says: 'the attribute wins over both', page: 'de', near: 'fr', set: 'ja', language: 'ja', reads: '私は人間です' },
  {
    says: 'a language there is no file for is English',
    page: 'xx',
    near: '',
    set: '',
    language: 'en',
    reads: 'I am human',
  },
])('$says', async ({ page, near, set, language, reads }) => {
  on.customer.page = `<script>document.documentElement.lang = '${page}'</script>
    <div ${near && `lang="${near}"`}>${form(on.service.base, set && `data-language="${set}"`)}</div>`
  await on.page.goto(on.customer.url)
  await label().waitFor()
  expect(await label().innerText()).toBe(reads)
  expect(await box().getAttribute('lang')).toBe(language)
})

test.each(['ar', 'fa', 'he'])('%s is written from right to left, the mark at the right', async (language) => {
  on.customer.page = form(on.service.base, `data-language="${language}"`)
  await on.page.goto(on.customer.url)
  await label().waitFor()
  expect(await box().getAttribute('dir')).toBe('rtl')
  const mark = await on.page.locator('.svc-captcha .mark').boundingBox()
  const text = await label().boundingBox()
  expect(mark!.x).toBeGreaterThan(text!.x + text!.width - 1)
})

test('a language file that hangs does not delay the box, and is spoken when it comes', async () => {
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await on.page.route('**/captcha-text-ar.json*', async (route) => {
    await held
    await route.continue()
  })
  on.customer.page = form(on.service.base, 'data-language="ar"')
  await on.page.goto(on.customer.url)
  await label().waitFor()
  expect(await label().innerText()).toBe('I am human')
  expect(await box().getAttribute('dir')).toBe('ltr')
  await on.page.getByLabel('Email').focus()
  await on.until('ready')
  release!()
  await on.page.getByText('أنا إنسان').waitFor()
  expect(await box().getAttribute('dir')).toBe('rtl')
  expect(await on.page.getByRole('status').innerText()).toBe('جاهز')
})

test('every text is replaced by an attribute, or by an option, which wins', async () => {
  const names = ['name', 'label', 'idle', 'ready', 'retry']
  const attributes = names.map((name) => `data-text-${name}="our ${name}"`).join(' ')
  on.customer.page = form(on.service.base, `${attributes} data-language="de"`).replace('svc-captcha', 'mine')
  await on.page.goto(on.customer.url)
  await on.page.evaluate(() => window.svcCaptcha!.render('.mine', { texts: { ready: 'All done' } }))
  await on.page.getByText('our label').waitFor()
  expect(await on.page.getByRole('group').getAttribute('aria-label')).toBe('our name')
  expect(await on.page.getByRole('status').innerText()).toBe('our idle')
  await on.page.getByLabel('Email').focus()
  await on.page.getByText('All done').waitFor()
})
