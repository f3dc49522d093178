/** docs/widget/widget.md and javascript.md: every example on them runs, and they leave nothing out that the widget has. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { SITEKEY } from '../../support/app.ts'
import { ERRORS } from '../../../widget/src/errors.ts'
import { ENGLISH } from '../../../widget/src/texts.ts'
import { openChromium, type Stage, startStage } from './stage.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
const PAGE = ['widget', 'javascript'].map((name) => read(`docs/widget/${name}.md`)).join('\n')
const EXAMPLES = new Map(
  [...PAGE.matchAll(/<!-- example: ([\w-]+) -->\n```html\n(.*?)```/gs)].map((m) => [m[1]!, m[2]!]),
)

let browser: Browser
let stage: Stage
let page: Page
beforeAll(async () => {
  browser = await openChromium()
  stage = await startStage()
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})
beforeEach(async () => {
  stage.customer.submissions.length = 0
  page = await browser.newPage()
})
afterEach(() => page.close())

const box = (state: string): Promise<void> => page.locator(`.box.${state}`).first().waitFor({ state: 'attached' })
const said = (words: string): Promise<void> =>
  page
    .waitForFunction((wanted) => document.querySelector<HTMLOutputElement>('#said')!.value.includes(wanted), words, {
      timeout: 10_000,
    })
    .then(() => {})
/** @param leaves whether the page goes with the form; Chromium cannot always close one that is on its way. */
const submit = async (leaves = true): Promise<Record<string, string>> => {
  await page.locator('button:not([class])').click({ noWaitAfter: true })
  for (let waited = 0; stage.customer.submissions.length === 0 && waited < 10_000; waited += 50)
    await page.waitForTimeout(50)
  if (leaves) await page.getByRole('heading', { name: 'received' }).waitFor()
  const [submission] = stage.customer.submissions
  expect(submission).toMatchObject({ path: '/sign-up', verdict: { success: true, action: 'sign-up' } })
  return Object.fromEntries(submission!.fields)
}

/** Presses the button of a second try, as soon as it takes a press. */
const confirm = (): Promise<void> => page.locator('.svc-captcha .retry:not([aria-disabled=true])').click()

/** What shows that an example does what it is there for. */
const SHOWN: Readonly<Record<string, () => Promise<unknown>>> = {
  async embed() {
    await page.getByLabel('Email').fill('a@example.com')
    await box('ready')
    expect(await submit()).toMatchObject({ email: 'a@example.com' })
  },
  async 'never-loads'() {
    await box('idle')
    await submit()
    // The other case is in test/browser/refusals.test.ts.
  },
  async 'theme-size-start'() {
    await page.locator('.box.dark.compact').waitFor()
    // In the language of the form.
    const { label } = JSON.parse(read('widget/src/texts/de.json')) as { label: string }
    await page.getByText(label).waitFor()
    await box('ready')
  },
  // A ticket that is none: the step is shown, and the form goes on with an ordinary token.
  async 'step-up'() {
    await page.locator('button:not([class])').click({ noWaitAfter: true })
    await confirm()
    await page.getByRole('heading', { name: 'received' }).waitFor()
    expect(stage.customer.submissions[0]).toMatchObject({ verdict: { success: true } })
  },
  async pass() {
    await page.locator('button:not([class])').click()
    await page.getByRole('heading', { name: 'received' }).waitFor()
    expect(Object.fromEntries(stage.customer.submissions[0]!.fields)).toMatchObject({ 'svc-response': 'a pass' })
  },
  async 'field-and-cdata'() {
    const fields = await submit()
    expect(Object.keys(fields)).toEqual(['svc-response', 'second-response'])
    expect(fields['second-response']).not.toBe(fields['svc-response'])
    expect(stage.customer.submissions[0]!.verdict['cdata']).toBe('campaign-7')
  },
  async callbacks() {
    await said('a token of many characters; reset; a token of many characters')
  },
  async 'token-at-once'() {
    await box('verified')
    await submit()
  },
  async 'custom-properties'() {
    const look = await page.locator('.box').evaluate((node) => {
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
    await page.getByText('No robots at our table').waitFor()
    expect(await page.getByRole('status').innerText()).toBe('Takes care of itself')
    // What is not replaced is in the language of the attribute.
    const { ready } = JSON.parse(read('widget/src/texts/fr.json')) as { ready: string }
    await page.getByRole('checkbox').click()
    await page.getByText(ready).waitFor()
  },
  async 'step-up-by-script'() {
    await confirm()
    await said('a token of many characters')
  },
  async execute() {
    await page.getByLabel('Email').fill('a@example.com')
    await submit(false)
    await said('sent')
    // Once more, with a fresh token.
    stage.customer.submissions.length = 0
    await submit(false)
  },
  async 'ready-and-render'() {
    await said('one widget')
    await page.getByText('No robots here').waitFor()
    await box('ready')
    expect(await page.locator('.box').getAttribute('class')).toContain('flexible')
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
    page.on('pageerror', (error) => mistakes.push(error.message))
    stage.customer.page = EXAMPLES.get(name)!
      .replaceAll('https://verify.example.com', stage.services.usual.base)
      .replaceAll('hv_site_yours', SITEKEY)
    await page.goto(stage.customer.url)
    await SHOWN[name]!()
    expect(mistakes).toEqual([])
  })
})

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
  const [, body = ''] = new RegExp(`export interface ${name} \\{([^]*?)\\n\\}`).exec(read('widget/captcha.d.ts'))!
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member!).sort()
}
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

describe('the page names', () => {
  test('every number of an error, with what the code says', () => {
    expect(inTable('Number')).toEqual(Object.keys(ERRORS))
    for (const [code, means] of Object.entries(ERRORS))
      expect(PAGE.replaceAll('`', '')).toMatch(
        new RegExp(`\\| ${code} \\| ${means.replace(/[()./]/g, '\\$&').slice(0, 40)}`),
      )
  })

  test('every attribute', () => {
    const options = membersOf('SvcCaptchaOptions').filter((name) => name !== 'texts')
    expect(inTable('Attribute')).toEqual(options.map((name) => `data-${kebab(name)}`).sort())
  })

  test.each([
    ['Function', membersOf('SvcCaptcha')],
    ['Event', inSource('announcer.ts', /emit\('(\w+)'/g).map((name) => `svc-captcha:${name}`)],
    ['State', inSource('state.ts', /^ {2}\| \{ readonly at: '(\w+)'/gm)],
    ['Property', inSource('styles.ts', /var\((--svc-captcha-[\w-]+)/g)],
    ['Text', Object.keys(ENGLISH).sort()],
  ])('every %s', (head, all) => {
    expect(inTable(head).map((name) => name.replace(/\(.*/, ''))).toEqual(all)
  })
})
