import { beforeEach, describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { container } from '../support/customer.ts'
import { SITEKEY } from '../support/app.ts'
import { UNSURE } from '../support/unsure.ts'
import { begin, form, inChromium, on } from './stage.ts'

/** Pages that send their form past the submit, and the options of other services: never an empty field without a word. */
inChromium(async () => {
  await begin()
  await on.page.addInitScript(() => {
    Object.assign(window, { told: [] as unknown[] })
    const tell = (event: Event): void => {
      const { told } = window as unknown as { told: unknown[] }
      told.push((event as CustomEvent<{ code?: number }>).detail.code ?? event.type)
    }
    for (const name of ['error', 'solved', 'expired']) document.addEventListener(`svc-captcha:${name}`, tell)
  })
})

const told = (): Promise<unknown[]> => on.page.evaluate('told')
/** What the first form carried: the field's names, and the verdict on its token. */
const carried = (): { names: string[]; success: unknown } => ({
  names: on.customer.submissions[0]!.fields.map(([name]) => name),
  success: on.customer.submissions[0]!.verdict['success'],
})

test('a page that reads its form when the button is pressed, and then submits it, is told nothing', async () => {
  on.customer.page = `${form(on.service.base)}<script>
    document.querySelector('form button').addEventListener('click', () => new FormData(document.getElementById('form')))</script>`
  await on.open()
  await on.until('idle')
  await on.page.getByText('Send').click()
  await on.arrived(1)
  expect(carried()).toEqual({ names: ['email', 'svc-response'], success: true })
  expect(on.said.filter((line) => /svc-captcha: \d/.test(line))).toEqual([])
})

describe('data-execution="render"', () => {
  test('fetches a token before anybody touches the form, calls back once, and replaces a token that a script took', async () => {
    on.customer.page = form(on.service.base, 'data-execution="render" data-callback="solved"')
    await on.page.addInitScript(() =>
      Object.assign(window, { solved: (token: string) => (document.title += ` ${token.length > 99}`) }),
    )
    await on.open()
    await on.until('verified')
    const taken = await on.page.evaluate(() => window.svcCaptcha!.execute())
    await on.page.waitForFunction((first) => ![first, ''].includes(window.svcCaptcha!.getResponse()), taken)
    expect(on.calls('solve')).toHaveLength(2)
    expect(await on.page.title()).toBe('Shop true')
    await on.page.getByText('Send').click()
    await on.arrived(1)
    expect(on.tokenOf(0)).not.toBe(taken)
    expect(await on.verified(taken)).toBe(true)
    expect(carried().success).toBe(true)
  })

  test.each([
    { refresh: 'auto', then: 'verified', pressed: 'verified', solves: 2, events: ['svc-captcha:solved'] },
    {
      refresh: 'manual',
      then: 'expired',
      pressed: 'verified',
      solves: 1,
      events: ['svc-captcha:solved', 'svc-captcha:expired'],
    },
    {
      refresh: 'never',
      then: 'expired',
      pressed: 'expired',
      solves: 1,
      events: ['svc-captcha:solved', 'svc-captcha:expired'],
    },
  ])(
    'with data-refresh-expired="$refresh" is $then when the token is over',
    async ({ refresh, then, pressed, solves, events }) => {
      await on.close()
      await begin({ tokenLifetime: seconds(4) })
      await on.page.addInitScript(() => {
        Object.assign(window, { told: [] as string[] })
        for (const name of ['solved', 'expired'])
          document.addEventListener(`svc-captcha:${name}`, ({ type }) =>
            (window as unknown as { told: string[] }).told.push(type),
          )
      })
      on.customer.page = form(on.service.base, `data-execution="render" data-refresh-expired="${refresh}"`)
      await on.open()
      await on.until('verified')
      if (solves > 1) await on.page.waitForResponse((one) => one.url().endsWith('/solve'))
      await on.until(then)
      expect(on.calls('solve').length).toBe(solves)
      expect(await told()).toEqual(events)
      await on.page.locator('.svc-captcha .mark').click()
      await on.until(pressed)
    },
  )
})

describe('attributes changed after mounting', () => {
  test('a theme is worn at once, and the token stays', async () => {
    on.customer.page = form(on.service.base, 'data-execution="render"')
    await on.open()
    await on.until('verified')
    const token = await on.page.evaluate(() => window.svcCaptcha!.getResponse())
    await on.page.evaluate(() => void (document.querySelector<HTMLElement>('.svc-captcha')!.dataset['theme'] = 'dark'))
    await on.page.locator('.svc-captcha .box.dark').waitFor()
    expect(await on.page.evaluate(() => window.svcCaptcha!.getResponse())).toBe(token)
  })

  test('another action is another challenge; the widget keeps its id', async () => {
    on.customer.page = form(on.service.base, 'data-start="load"').replace('sign-up"', 'log-in"')
    await on.open()
    await on.until('ready')
    await on.page.evaluate(
      () => void (document.querySelector<HTMLElement>('.svc-captcha')!.dataset['action'] = 'sign-up'),
    )
    await on.until('ready')
    await on.page.waitForFunction(() => document.querySelectorAll('.svc-captcha > *').length === 2)
    const token = await on.page.evaluate(() => window.svcCaptcha!.execute('svc-captcha-1'))
    expect(await on.verified(token)).toBe(true)
    expect(on.calls('challenge').map((one) => new URLSearchParams(one.postData()!).get('action'))).toContain('sign-up')
  })

  test('a sitekey that is missing is error 100, and counts when it comes', async () => {
    on.customer.page = form(on.service.base).replace(/data-sitekey="[^"]*"/, '')
    await on.open()
    await on.until('failed')
    expect(await told()).toEqual([100])
    expect(on.said.join('\n')).toContain('svc-captcha: 100 data-sitekey is missing')
    await on.page.evaluate(
      (key) => void (document.querySelector<HTMLElement>('.svc-captcha')!.dataset['sitekey'] = key),
      SITEKEY,
    )
    await on.until('idle')
    await on.page.getByText('Send').click()
    await on.arrived(1)
    expect(carried().success).toBe(true)
  })

  test('a script that renders later, with a sitekey, finds no widget in its way', async () => {
    on.customer.page = form(on.service.base).replace(/data-sitekey="[^"]*"/, '')
    await on.open()
    await on.until('failed')
    await on.page.evaluate((sitekey) => window.svcCaptcha!.render('.svc-captcha', { sitekey }), SITEKEY)
    await on.until('idle')
    expect(await on.page.locator('.svc-captcha .box').count()).toBe(1)
  })
})

describe('options that other services have', () => {
  test('data-retry="never" asks once', async () => {
    await on.page.route('**/challenge', (route) => route.abort())
    on.customer.page = form(on.service.base, 'data-retry="never" data-start="load"')
    await on.open()
    await on.until('failed')
    expect(on.calls('challenge')).toHaveLength(1)
  })

  test('data-retry-interval sets the pause', async () => {
    await on.page.route('**/challenge', (route) => route.abort())
    on.customer.page = form(on.service.base, 'data-retry-interval="1" data-start="load"')
    await on.open()
    const started = Date.now()
    await on.until('failed')
    expect(on.calls('challenge')).toHaveLength(3)
    // The widget's own pauses are 2.5 s together.
    expect(Date.now() - started).toBeLessThan(2500)
  })

  test('data-response-field="false" leaves the field out', async () => {
    on.customer.page = form(on.service.base, 'data-response-field="false"')
    await on.open()
    await on.page.getByText('Send').click()
    await on.arrived(1)
    expect(carried().names).toEqual(['email'])
  })

  test.each([
    { appearance: 'always', seen: [true, true] },
    { appearance: 'execute', seen: [false, true] },
    { appearance: 'interaction-only', seen: [false, false] },
  ])('data-appearance="$appearance": seen before and after it began: $seen', async ({ appearance, seen }) => {
    on.customer.page = form(on.service.base, `data-appearance="${appearance}"`)
    await on.open()
    await on.until('idle')
    const isSeen = async (): Promise<boolean> => (await on.page.locator('.svc-captcha .box').boundingBox())!.width > 10
    const before = await isSeen()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    expect([before, await isSeen()]).toEqual(seen)
  })

  test('the function of data-unsupported-callback is called where the browser cannot do the work', async () => {
    await on.page.addInitScript(() => {
      const no = (): never => {
        throw new Error('none')
      }
      Object.assign(window, { Worker: no, MessageChannel: no, unsupported: () => (document.title = 'unsupported') })
    })
    on.customer.page = form(on.service.base, 'data-unsupported-callback="unsupported" data-start="load"')
    await on.open()
    await on.until('failed')
    expect([await on.page.title(), await told()]).toEqual(['unsupported', [400]])
  })
})

describe('around the step of a second try', () => {
  const CALLBACKS = ['before', 'after']
    .map((when) => `data-${when}-interactive-callback="${when}"`)
    .concat('data-timeout-callback="timeout"')
    .join(' ')
  beforeEach(async () => {
    await begin({ stepUp: 'managed', weights: UNSURE, scoreThreshold: 0.5 })
    await on.page.addInitScript(() => {
      const called: string[] = []
      const note = (name: string) => [name, () => void called.push(name)] as const
      Object.assign(window, { called }, Object.fromEntries(['before', 'after', 'timeout'].map(note)))
    })
    on.customer.page = `${form(on.service.base, CALLBACKS)}<script>
      document.addEventListener('submit', (event) => event.preventDefault())</script>`
  })
  const called = (): Promise<string[]> => on.page.evaluate('called')

  test('the page is called before the visitor is asked, and after', async () => {
    await on.open()
    await on.page.getByText('Send').click()
    await on.until('asking')
    expect(await called()).toEqual(['before'])
    await on.page.locator('.svc-captcha .retry:not([aria-disabled=true])').click()
    await on.until('verified')
    expect(await called()).toEqual(['before', 'after'])
  })

  test('it is called when nobody has pressed while the step counted', async () => {
    await on.page.clock.install()
    await on.open()
    await on.page.getByText('Send').click()
    await on.until('asking')
    await on.page.clock.fastForward('09:00')
    expect(await called()).toEqual(['before'])
    await on.page.clock.fastForward('01:01')
    expect(await called()).toEqual(['before', 'timeout'])
  })
})

describe('<human-verification>', () => {
  const element = (base: string): string =>
    form(base).replace(
      container(base),
      `<human-verification sitekey="${SITEKEY}" action="sign-up" api-base="${base}/" size="compact"></human-verification>`,
    )

  test('is a container by its name, with attributes without data-, and its form is accepted', async () => {
    on.customer.page = element(on.service.base)
    await on.open()
    await on.page.locator('human-verification .box.compact.idle').waitFor()
    await on.page.getByText('Send').click()
    await on.arrived(1)
    expect(carried()).toEqual({ names: ['email', 'svc-response'], success: true })
  })

  test('knows its form, and is reset with it', async () => {
    on.customer.page = element(on.service.base)
    await on.open()
    await on.page.evaluate(() => customElements.whenDefined('human-verification').then(() => undefined))
    const found = await on.page.evaluate(async () => {
      const one = document.querySelector('human-verification') as HTMLElement & {
        form: HTMLFormElement
        value: string
        execute(): Promise<string>
      }
      const token = await one.execute()
      const same = one.value === token
      one.form.reset()
      return [one.form.id, same, one.value === token]
    })
    expect(found).toEqual(['form', true, false])
  })
})
