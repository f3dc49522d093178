/** docs/widget/apps.md: the page that an app shows in a web view, with bridges of our own in Chromium and with that of a real WebKit. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { SITEKEY } from '../support/app.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { findProgram } from '../support/programs.mjs'
import { environmentOf, startScreen } from '../support/screen.ts'
import { begin, inChromium, on } from './stage.ts'

inChromium(() => begin())

type Message = Record<string, unknown>
const address = (query = `sitekey=${SITEKEY}&action=sign-up&hl=en`): string =>
  `${on.service.base}/assets/native.html?${query}`
/** Presses the button, and waits for the message to the app's bridge. */
async function press(): Promise<Message> {
  await on.page.locator('p > button:enabled').click()
  const posted = await on.page.waitForFunction(
    () => (window as unknown as { posted?: string }).posted,
  )
  return JSON.parse((await posted.jsonValue())!) as Message
}

/** Each as the platform puts it there, before the page's own scripts; that of iOS is in WebKit below. */
const BRIDGES = [
  ['Android, and a Flutter channel', 'window.HumanVerification = bridge'],
  ['React Native', 'window.ReactNativeWebView = bridge'],
] as const
const addBridge = (code: string): Promise<unknown> =>
  on.page.addInitScript(`const bridge = { postMessage: (text) => (window.posted = text) }; ${code}`)

test.each(BRIDGES)(
  '%s gets a token that siteverify accepts, by one press of its button',
  async (_platform, code) => {
    await addBridge(code)
    await on.page.goto(address())
    expect(await on.page.locator('p > button:visible').allTextContents()).toEqual(['I am human'])
    const { token, action } = await press()
    expect([action, await on.verified(String(token))]).toEqual(['sign-up', true])
    await on.page.locator('output', { hasText: 'Verified' }).waitFor()
    expect(on.said).toEqual([])
  },
)

test('the app gets the error’s number instead of a token', async () => {
  await addBridge(BRIDGES[0][1])
  await on.page.goto(address(`sitekey=hv_site_unknown_1&action=sign-up&hl=en`))
  expect(await press()).toMatchObject({ error: 102 })
})

test('if no app listens, the page reports it and keeps the token', async () => {
  await on.page.goto(address())
  await on.page.locator('p > button:enabled').click()
  await on.page
    .getByText('No app is listening: it offers no bridge named HumanVerification.')
    .waitFor()
  expect(on.calls('solve')).toHaveLength(1)
})

test('the page has the language that the app sets, and cannot be framed', async () => {
  const answer = await on.page.goto(address(`sitekey=${SITEKEY}&action=sign-up&hl=he`))
  await on.page.locator('p > button:visible').waitFor()
  const language = await on.page.evaluate(() => [
    document.documentElement.lang,
    document.documentElement.dir,
  ])
  expect(language).toEqual(['he', 'rtl'])
  expect(answer!.headers()).toMatchObject({
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-frame-options': expect.anything(),
  })
})

/** The messages to an app of WebKitGTK, one for each press. It uses the distribution's Python, which has the bindings. */
async function messagesInWebkit(presses: number): Promise<Message[]> {
  const [home, display] = [newFolder(), await startScreen()]
  const app = spawn(
    '/usr/bin/python3',
    ['test/support/webkit-app.py', address(), String(presses)],
    {
      env: environmentOf(display, home),
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  closeLater(app, (it) => it.kill('SIGKILL'))
  const lines = (await text(app.stdout)).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Message)
}

if (findProgram('webkitApp') === undefined)
  test.todo('native.html in WebKitGTK: needs gir1.2-webkit2-4.1 and python3-gi')
else {
  test('WebKit’s own bridge gets a token for each press, which siteverify accepts once', async () => {
    const messages = await messagesInWebkit(2)
    expect(messages.map(({ action }) => action)).toEqual(['sign-up', 'sign-up'])
    for (const { token } of messages)
      expect([await on.verified(String(token)), await on.verified(String(token))]).toEqual([
        true,
        false,
      ])
  }, 90_000)
}
