import { beforeEach, describe, expect, test } from '@jest/globals'
import { SITEKEY } from '../support/app.ts'
import { begin, inChromium, on } from './stage.ts'

/** docs/widget/apps.md: the page that an app shows in a web view. */
inChromium(() => begin())

const address = (query = `sitekey=${SITEKEY}&action=sign-up&hl=en`): string =>
  `${on.service.base}/assets/native.html?${query}`
/** What the app's bridge was given. The page's policy lets nobody ask it by text. */
let posted: string[]
beforeEach(async () => {
  posted = []
  await on.page.exposeFunction('toApp', (text: string) => void posted.push(text))
})
/** Presses the button, and waits for the message after those that there were. */
async function press(): Promise<Record<string, unknown>> {
  const before = posted.length
  await on.page.locator('p > button:enabled').click()
  for (let waited = 0; posted.length === before && waited < 30_000; waited += 50) await on.page.waitForTimeout(50)
  return JSON.parse(posted[before] ?? '{}') as Record<string, unknown>
}

/** Each as the platform puts it there, before the page's own scripts. */
const BRIDGES = [
  { platform: 'iOS', code: 'window.webkit = { messageHandlers: { HumanVerification: bridge } }' },
  { platform: 'Android, and a Flutter channel', code: 'window.HumanVerification = bridge' },
  { platform: 'React Native', code: 'window.ReactNativeWebView = bridge' },
]
const bridged = (code: string): string => `const bridge = { postMessage: (text) => toApp(text) }; ${code}`

describe.each(BRIDGES)('$platform', ({ code }) => {
  test('gets a token that siteverify accepts, by one press of its button', async () => {
    await on.page.addInitScript(bridged(code))
    await on.page.goto(address())
    expect(await on.page.locator('p > button:visible').allTextContents()).toEqual(['I am human'])
    const { token, action } = await press()
    expect([action, await on.verified(String(token))]).toEqual(['sign-up', true])
    await on.page.locator('output', { hasText: 'Verified' }).waitFor()
    expect(on.said).toEqual([])
  })
})

test('the app is told the error’s number in place of a token', async () => {
  await on.page.addInitScript(bridged(BRIDGES[0]!.code))
  await on.page.goto(address(`sitekey=hv_site_unknown_1&action=sign-up&hl=en`))
  expect(await press()).toMatchObject({ error: 102 })
})

test('each press is another token', async () => {
  await on.page.addInitScript(bridged(BRIDGES[1]!.code))
  await on.page.goto(address())
  const [first, second] = [await press(), await press()]
  expect([second['token'] === first['token'], await on.verified(String(second['token']))]).toEqual([false, true])
})

test('where no app listens, the page says so and keeps the token', async () => {
  await on.page.goto(address())
  await on.page.locator('p > button:enabled').click()
  const said = on.page.getByText('No app is listening')
  await said.waitFor()
  expect(await said.textContent()).toBe('No app is listening: it offers no bridge named HumanVerification.')
})

test('speaks the language that the app names', async () => {
  await on.page.goto(address(`sitekey=${SITEKEY}&action=sign-up&hl=he`))
  await on.page.locator('p > button:visible').waitFor()
  expect(await on.page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
    'he',
    'rtl',
  ])
})

test('no page may frame it', async () => {
  const { headers } = await fetch(address())
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).not.toBeNull()
})
