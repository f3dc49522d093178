/** docs/widget/widget.md and javascript.md: every example on them runs, and they leave nothing out that the widget has. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ERRORS } from '../../widget/src/errors.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { SITEKEY } from '../support/app.ts'
import { begin, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const read = (path: string): string => readFileSync(path, 'utf8')
const PAGE = ['widget', 'javascript'].map((name) => read(`docs/widget/${name}.md`)).join('\n')
const EXAMPLES = new Map(
  [...PAGE.matchAll(/<!-- example: ([\w-]+) -->\n```html\n(.*?)```/gs)].map((m) => [m[1]!, m[2]!]),
)
const example = (name: string): string =>
  EXAMPLES.get(name)!
    .replaceAll('https://verify.example.com', on.service.base)
    .replaceAll('hv_site_yours', SITEKEY)

const said = (words: string): Promise<unknown> =>
  on.page.waitForFunction(
    (wanted) => document.querySelector<HTMLOutputElement>('#said')!.value.includes(wanted),
    words,
  )
const press = (): Promise<void> =>
  on.page.locator('button:not([class])').click({ noWaitAfter: true })
/** Sends the form, the first one or a later one. @param leaves whether the page navigates. */
const submit = async (leaves = true, count = 1): Promise<Record<string, string>> => {
  await press()
  const submission = await (leaves ? on.arrived(count) : on.received(count))
  expect(submission).toMatchObject({
    path: '/sign-up',
    verdict: { success: true, action: 'sign-up' },
  })
  return Object.fromEntries(submission.fields)
}

/** What shows that an example does what it is there for. */
const SHOWN: Readonly<Record<string, () => Promise<unknown>>> = {
  async embed() {
    await on.prepare()
    expect(await submit()).toMatchObject({ email: 'a@example.com' })
  },
  async 'never-loads'() {
    await on.until('idle')
    await submit()
  },
  async 'theme-size-start'() {
    await on.page.locator('.box.dark.compact').waitFor()
    // In the language of the form.
    const { label } = JSON.parse(read('widget/src/texts/de.json')) as { label: string }
    await on.page.getByText(label).waitFor()
    await on.until('ready')
  },
  // With an invalid ticket the step is shown, and the form is sent with an ordinary token.
  async 'step-up'() {
    await press()
    await on.confirm()
    expect(await on.arrived(1)).toMatchObject({ verdict: { success: true } })
  },
  async pass() {
    await press()
    expect((await on.arrived(1)).fields).toContainEqual(['svc-response', 'a pass'])
  },
  async 'field-and-cdata'() {
    const fields = await submit()
    expect(Object.keys(fields)).toEqual(['svc-response', 'second-response'])
    expect(fields['second-response']).not.toBe(fields['svc-response'])
    expect(on.customer.submissions[0]!.verdict['cdata']).toBe('campaign-7')
  },
  async callbacks() {
    await said('a token of many characters; reset; a token of many characters')
  },
  async 'token-at-once'() {
    await on.until('verified')
    await submit()
  },
  async 'custom-properties'() {
    const look = await on.page.locator('.box').evaluate((node) => {
      const { backgroundColor, borderTopLeftRadius, fontFamily } = getComputedStyle(node)
      return { backgroundColor, borderTopLeftRadius, fontFamily }
    })
    expect(look).toEqual({
      backgroundColor: 'rgb(255, 251, 235)',
      borderTopLeftRadius: '0px',
      fontFamily: 'Georgia, serif',
    })
  },
  async texts() {
    await on.page.getByText('No robots at our table').waitFor()
    expect(await on.status()).toBe('Takes care of itself')
    // What is not replaced is in the language of the attribute.
    const { ready } = JSON.parse(read('widget/src/texts/fr.json')) as { ready: string }
    await on.page.getByRole('checkbox').click()
    await on.page.getByText(ready).waitFor()
  },
  async 'step-up-by-script'() {
    await on.confirm()
    await said('a token of many characters')
  },
  async execute() {
    await on.prepare()
    // Not accepted, in a page that stays.
    await on.page.route('**/sign-up', (route) => route.fulfill({ status: 422 }))
    await on.page.getByText('Sign up').click()
    await on.until('failed')
    const refused = { name: 'error', code: 302, message: 'not accepted', retryable: true }
    expect((await on.events()).at(-1)).toMatchObject(refused)
    expect(await on.status()).toBe(ENGLISH.refused)
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).toBe('')
    // A touch of the form does not remove the message.
    await on.page.getByLabel('Email').fill('b@example.com')
    expect(await on.status()).toBe(ENGLISH.refused)

    await on.page.unrouteAll({ behavior: 'ignoreErrors' })
    await submit(false)
    await said('sent')
    // Once more, with a fresh token.
    await submit(false, 2)
  },
  async fetch() {
    await on.page.locator('#order').click()
    await said('ordered')
    expect(await on.received(1)).toMatchObject({ path: '/order', verdict: { success: true } })
  },
  async 'ready-and-render'() {
    await said('one widget')
    await on.page.getByText('No robots here').waitFor()
    await on.until('ready')
    expect(await on.page.locator('.box').getAttribute('class')).toContain('flexible')
    await submit()
  },
  'in-hand': () => said('before: ""; in hand: true, expired: false; another: true; left: 0'),
  events: () => said('statechange working; statechange verified; solved ; '),
  errors: () => said(`101 ${ERRORS[101]}, again: false; the policy lacks 0`),
}

describe('an example', () => {
  test('has a row here, whichever it is', () => {
    expect([...EXAMPLES.keys()]).toEqual(Object.keys(SHOWN))
    expect(PAGE.match(/```html/g)).toHaveLength(EXAMPLES.size)
  })

  test.each(Object.keys(SHOWN))('runs: %s', async (name) => {
    const mistakes: string[] = []
    on.page.on('pageerror', (error) => mistakes.push(error.message))
    await on.open(example(name))
    await SHOWN[name]!()
    expect(mistakes).toEqual([])
  })
})

/** The page reports that the script has not loaded, and keeps its form. */
async function isHeld(): Promise<void> {
  await on.page.getByRole('alert').getByText('has not loaded').waitFor()
  expect(on.customer.submissions).toEqual([])
}

test.each([
  { when: 'blocked', how: (page: Page) => page.route('**/captcha.js*', (route) => route.abort()) },
  { when: 'never answered', how: (page: Page) => page.route('**/captcha.js*', () => {}) },
])(
  'a script that is $when: the two lines of the docs keep the form and say so',
  async ({ how }) => {
    on.customer.script = ''
    on.customer.page = example('never-loads')
    await how(on.page)
    await on.page.goto(on.customer.url, { waitUntil: 'commit' })
    await on.page.getByText('Sign up').click()
    await isHeld()
    await on.page.unrouteAll({ behavior: 'ignoreErrors' })
    await on.open()
    expect(await on.page.getByRole('alert').count()).toBe(0)
    await on.page.getByText('Sign up').click()
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  },
)

/** What optimisers do (WP Rocket, LiteSpeed, Rocket Loader): scripts of another type run after the first key, press or move. */
const OPTIMISER = `<script>addEventListener('keydown', () => {
  for (const old of document.querySelectorAll('script[type=delayed]')) {
    const one = document.createElement('script')
    for (const { name, value } of old.attributes) if (name !== 'type') one.setAttribute(name, value)
    one.textContent = old.textContent
    old.replaceWith(one)
  }
}, { capture: true, once: true })</script>`

test.each(['type="delayed"', ''])(
  'a script that an optimiser delays: the two lines keep a form that Enter sends at once, the second with "%s"',
  async (type) => {
    on.customer.script = OPTIMISER
    await on.open(
      example('never-loads')
        .replace('<script>', `<script ${type}>`)
        .replace('<script src', '<script type="delayed" src')
        .replace(
          '  <div',
          '  <input name="email" aria-label="Email" value="filled@by.browser"><div',
        ),
    )
    await on.page.getByLabel('Email').press('Enter')
    await isHeld()
    // It was touched before the script loaded.
    await on.until('ready')
    await on.page.getByLabel('Email').press('Enter')
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  },
)

const inTable = (head: string): string[] => {
  const rows = PAGE.slice(PAGE.indexOf(`| ${head} |`))
    .split('\n\n')[0]!
    .split('\n')
    .slice(2)
  return rows.map((row) => row.split('|')[1]!.replaceAll('`', '').trim()).sort()
}
const inSource = (file: string, pattern: RegExp): string[] =>
  [...new Set([...read(`widget/src/${file}`).matchAll(pattern)].map((match) => match[1]!))].sort()
/** The members of an interface of the widget's published types. */
const membersOf = (name: string): string[] => {
  const [, body = ''] = new RegExp(`export interface ${name} \\{([^]*?)\\n\\}`).exec(
    read('widget/captcha.d.ts'),
  )!
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member!).sort()
}
const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

test.each([
  ['Number', Object.keys(ERRORS)],
  [
    'Attribute',
    membersOf('SvcCaptchaOptions')
      .filter((name) => name !== 'texts')
      .map((name) => `data-${kebab(name)}`),
  ],
  ['Function', membersOf('SvcCaptcha')],
  ['Event', inSource('announcer.ts', /emit\('(\w+)'/g).map((name) => `svc-captcha:${name}`)],
  ['State', inSource('state.ts', /^ {2}\| \{ readonly at: '(\w+)'/gm)],
  ['Property', inSource('styles.ts', /var\((--svc-captcha-[\w-]+)/g)],
  ['Text', Object.keys(ENGLISH)],
])('the page has every %s', (head, all) => {
  expect(inTable(head).map((name) => name.replace(/\(.*/, ''))).toEqual([...all].sort())
})
