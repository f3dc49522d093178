import { beforeEach, describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { ACCEPTED, begin, form, inChromium, MANAGED, on } from './stage.ts'

/** Attributes, options of other services, the custom element, and languages. docs/widget/widget.md */
declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

/** The code of each error, and the names of the other events. */
const told = async (): Promise<unknown[]> =>
  (await on.events()).map(({ name, code }) => code ?? name)
const put = (name: string, value: string): Promise<void> =>
  on.page.evaluate(
    ([key, to]) => {
      document.querySelector<HTMLElement>('.svc-captcha')!.dataset[key] = to
    },
    [name, value] as const,
  )
test('a page that reads its form when the button is pressed, and then submits it, gets no warning', async () => {
  await on.open(`${form(on.service.base)}<script>
    document.querySelector('form button').addEventListener('click', () => new FormData(document.getElementById('form')))</script>`)
  await on.until('idle')
  expect(await on.sent()).toEqual(ACCEPTED)
  expect(on.said.filter((line) => /svc-captcha: \d/.test(line))).toEqual([])
})

describe('data-execution="render"', () => {
  test('requests a token before the form is touched, calls back once, keeps the token when the theme changes, and replaces it when a script took it', async () => {
    await on.page.addInitScript(() =>
      Object.assign(window, {
        solved(token: string) {
          document.title += ` ${token.length > 99}`
        },
      }),
    )
    await on.openForm('data-execution="render" data-callback="solved"')
    await on.until('verified')
    const first = await on.page.evaluate(() => svcCaptcha.getResponse())
    await put('theme', 'dark')
    await on.page.locator('.svc-captcha .box.dark').waitFor()
    const taken = await on.page.evaluate(() => svcCaptcha.execute())
    expect(taken).toBe(first)
    await on.page.waitForFunction((old) => ![old, ''].includes(svcCaptcha.getResponse()), taken)
    expect(on.calls('solve')).toHaveLength(2)
    expect(await on.page.title()).toBe('Shop true')
    expect(await on.sent()).toEqual(ACCEPTED)
    expect(on.tokenOf(0)).not.toBe(taken)
    expect(await on.verified(taken)).toBe(true)
  })

  test.each([
    { refresh: 'auto', then: 'verified', pressed: 'verified', solves: 2, events: ['solved'] },
    {
      refresh: 'manual',
      then: 'expired',
      pressed: 'verified',
      solves: 1,
      events: ['solved', 'expired'],
    },
    {
      refresh: 'never',
      then: 'expired',
      pressed: 'expired',
      solves: 1,
      events: ['solved', 'expired'],
    },
  ])('with data-refresh-expired="$refresh" is $then when the token expires', async (row) => {
    await begin({ tokenLifetime: seconds(4) })
    await on.openForm(`data-execution="render" data-refresh-expired="${row.refresh}"`)
    await on.until('verified')
    if (row.solves > 1) await on.page.waitForResponse((one) => one.url().endsWith('/solve'))
    await on.until(row.then)
    expect(on.calls('solve').length).toBe(row.solves)
    expect(await told()).toEqual(row.events)
    await on.page.locator('.svc-captcha .mark').click()
    await on.until(row.pressed)
  })
})

describe('attributes changed after mounting', () => {
  test('a new action requests a new challenge; the widget keeps its id', async () => {
    await on.open(form(on.service.base, 'data-start="load"').replace('sign-up"', 'log-in"'))
    await on.until('ready')
    await put('action', 'sign-up')
    await on.answered('challenge', 2)
    await on.until('ready')
    expect(await on.page.locator('.svc-captcha svc-captcha-box').count()).toBe(1)
    expect(
      await on.verified(await on.page.evaluate(() => svcCaptcha.execute('svc-captcha-1'))),
    ).toBe(true)
    expect(new URLSearchParams(on.calls('challenge')[1]!.postData()!).get('action')).toBe('sign-up')
  })

  test.each([
    ['when it comes', () => put('sitekey', SITEKEY)],
    [
      'when a script renders with it',
      () =>
        on.page.evaluate((sitekey) => void svcCaptcha.render('.svc-captcha', { sitekey }), SITEKEY),
    ],
  ])('a sitekey that is missing is error 100, and counts %s', async (_when, add) => {
    await on.open(form(on.service.base).replace(/data-sitekey="[^"]*"/, ''))
    await on.until('failed')
    expect(await told()).toEqual([100])
    expect(on.said.join('\n')).toContain('svc-captcha: 100 data-sitekey is missing')
    await add()
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
    expect(await on.sent()).toEqual(ACCEPTED)
  })
})

describe('options that other services have', () => {
  test.each([
    { option: 'data-retry="never"', calls: 1 },
    // The widget's own pauses are 2.5 s together.
    { option: 'data-retry-interval="1"', calls: 3 },
  ])('$option asks $calls times, within 2.5 s', async ({ option, calls }) => {
    await on.page.route('**/challenge', (route) => route.abort())
    await on.openForm(`${option} data-start="load"`)
    const started = Date.now()
    await on.until('failed')
    expect(on.calls('challenge')).toHaveLength(calls)
    expect(Date.now() - started).toBeLessThan(2500)
  })

  test('data-response-field="false" leaves the field out', async () => {
    await on.openForm('data-response-field="false"')
    expect(await on.sent()).toMatchObject({ tokens: 0 })
  })

  test.each([
    { appearance: 'always', seen: [true, true] },
    { appearance: 'execute', seen: [false, true] },
    { appearance: 'interaction-only', seen: [false, false] },
  ])(
    'data-appearance="$appearance": visible before and after it began: $seen',
    async ({ appearance, seen }) => {
      await on.openForm(`data-appearance="${appearance}"`)
      const isSeen = async (): Promise<boolean> =>
        (await on.page.locator('.svc-captcha .box').boundingBox())!.width > 10
      await on.until('idle')
      const before = await isSeen()
      await on.prepare()
      expect([before, await isSeen()]).toEqual(seen)
    },
  )

  test('the function of data-unsupported-callback is called where the browser cannot do the work', async () => {
    await on.page.addInitScript(() => {
      const no = (): never => {
        throw new Error('none')
      }
      Object.assign(window, {
        Worker: no,
        MessageChannel: no,
        unsupported() {
          document.title = 'unsupported'
        },
      })
    })
    await on.openForm('data-unsupported-callback="unsupported" data-start="load"')
    await on.until('failed')
    expect([await on.page.title(), await told()]).toEqual(['unsupported', [400]])
  })
})

describe('around the step of a second try', () => {
  const NAMES = { before: 'before-interactive', after: 'after-interactive', timeout: 'timeout' }
  const CALLBACKS = Object.entries(NAMES).map(
    ([name, option]) => `data-${option}-callback="${name}"`,
  )
  beforeEach(async () => {
    await begin(MANAGED)
    await on.page.addInitScript((names) => {
      const called: string[] = []
      const note = (name: string) => [name, () => void called.push(name)] as const
      Object.assign(window, { called }, Object.fromEntries(names.map(note)))
    }, Object.keys(NAMES))
    on.customer.page = `${form(on.service.base, CALLBACKS.join(' '))}<script>
      document.addEventListener('submit', (event) => event.preventDefault())</script>`
  })
  const called = (): Promise<string[]> => on.page.evaluate('called')

  test('the page is called before the visitor is asked, and after', async () => {
    await on.open()
    await on.press()
    await on.until('asking')
    expect(await called()).toEqual(['before'])
    await on.confirm()
    await on.until('verified')
    expect(await called()).toEqual(['before', 'after'])
  })

  test('the page is notified if the step was not pressed in time', async () => {
    await on.page.clock.install()
    await on.open()
    await on.press()
    await on.until('asking')
    await on.page.clock.fastForward('09:00')
    expect(await called()).toEqual(['before'])
    await on.page.clock.fastForward('01:01')
    expect(await called()).toEqual(['before', 'timeout'])
  })
})

test('<human-verification> has attributes without data-, knows its form, and is reset with it', async () => {
  const { base } = on.service
  const element = `<human-verification sitekey="${SITEKEY}" action="sign-up" api-base="${base}/" size="compact"></human-verification>`
  await on.open(form(base).replace(container(base), element))
  await on.page.locator('human-verification .box.compact.idle').waitFor()
  const found = await on.page.evaluate(async () => {
    const one = document.querySelector('human-verification')!
    const token = await one.execute()
    const same = one.value === token
    one.form!.reset()
    return [one.form!.id, same, one.value === token]
  })
  expect(found).toEqual(['form', true, false])
  expect(await on.sent()).toEqual(ACCEPTED)
})

const box = () => on.page.locator('.svc-captcha .box')
const label = () => on.page.locator('.svc-captcha .label')

test.each([
  [
    'the nearest lang wins over the page',
    { page: 'de', near: 'fr', set: '' },
    'fr',
    'Je suis humain',
  ],
  ['the attribute wins over both', { page: 'de', near: 'fr', set: 'ja' }, 'ja', '私は人間です'],
  ['a language without a file is English', { page: 'xx', near: '', set: '' }, 'en', 'I am human'],
])('%s', async (_says, { page, near, set }, language, reads) => {
  await on.open(`<script>document.documentElement.lang = '${page}'</script>
    <div ${near && `lang="${near}"`}>${form(on.service.base, set && `data-language="${set}"`)}</div>`)
  await label().waitFor()
  expect([await label().innerText(), await box().getAttribute('lang')]).toEqual([reads, language])
})

test('a language file that hangs does not delay the box, and is shown when it arrives', async () => {
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await on.page.route('**/captcha-text-ar.json*', (route) => held.then(() => route.continue()))
  await on.openForm('data-language="ar"')
  await label().waitFor()
  expect([await label().innerText(), await box().getAttribute('dir')]).toEqual([
    'I am human',
    'ltr',
  ])
  await on.page.getByLabel('Email').focus()
  await on.until('ready')
  release!()
  await on.page.getByText('أنا إنسان').waitFor()
  expect([await on.status(), await box().getAttribute('dir')]).toEqual(['جاهز', 'rtl'])
})
