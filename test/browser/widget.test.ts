import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { memoryLimiter } from '../../src/store/limits.ts'
import { SITEKEY } from '../support/app.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ACCEPTED, begin, beginWithButtons, fetchForm, form, inChromium, on, twoButtons } from './stage.ts'

/** What core-suite.ts does not ask in every engine: submits, and what pages do by script. docs/widget/javascript.md */
declare const svcCaptcha: SvcCaptcha

inChromium(() => beginWithButtons())

describe('a form', () => {
  test('that is double-clicked with a token in hand and the next work done is sent once', async () => {
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.received(1)
    await on.page.evaluate(() => svcCaptcha.reset())
    await on.until('verified')
    await on.page.getByText('Free').dblclick()
    await on.received(2)
    await on.page.waitForTimeout(800)
    expect(on.customer.submissions).toHaveLength(2)
  })

  test('that is pressed again while the page is leaving is sent once', async () => {
    on.customer.delayMs = 1500
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    const button = await on.page.getByText('Free').boundingBox()
    for (let press = 0; press < 3; press++) {
      await on.page.mouse.click(button!.x + 5, button!.y + 5)
      await on.page.waitForTimeout(400)
    }
    await on.page.getByText('received').waitFor()
    expect(on.customer.submissions).toHaveLength(1)
  })

  test('whose button wants no validation is sent as it is, held or not', async () => {
    on.customer.page = twoButtons(on.service.base).replace('formaction="/paid"', 'formaction="/draft" formnovalidate')
    await on.open()
    await on.page.getByText('Paid').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/draft', verdict: { success: true } })
    expect(on.customer.submissions[0]!.fields).toContainEqual(['email', ''])
  })

  test('that the browser finds incomplete is not sent, and no token is spent on it', async () => {
    await on.open()
    await on.page.getByLabel('Email').focus()
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.page.waitForTimeout(300)
    expect(on.customer.submissions).toHaveLength(0)
    expect(on.calls('solve')).toHaveLength(0)
  })

  test('shows its listeners a submit only when the token is there', async () => {
    on.customer.page += `<script>window.seen = []
      for (const capture of [true, false])
        document.addEventListener('submit', (event) => {
          event.preventDefault()
          seen.push(new FormData(event.target).get('svc-response').length > 20)
        }, capture)</script>`
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.until('verified')
    await on.page.waitForFunction('seen.length > 1')
    expect(await on.page.evaluate('seen')).toEqual([true, true])
  })
})

const many = { points: 1000, per: seconds(60) }

/** Uses up the visits of this machine's address, as its neighbours would. */
async function spend(): Promise<void> {
  for (let asked = 0; asked < 50; asked++) {
    const body = new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' })
    const headers = { Origin: on.customer.url.slice(0, -1) }
    const { status } = await fetch(`${on.service.base}/api/v1/challenge`, { method: 'POST', body, headers })
    if (status === 429) return
  }
  throw new Error('the budget was not used up')
}

describe('without the service', () => {
  test('of an address over its budget, the form waits its turn, says so, and is sent without an error', async () => {
    const budgets = { challenge: { points: 3, per: seconds(4) }, solve: many, siteverify: many }
    const limiter = memoryLimiter({ ...budgets, fallback: many, junk: many, ticket: many, invalidSecret: many })
    await begin({}, { limiter })
    on.customer.page = form(on.service.base, 'data-start="load"')
    await on.page.addInitScript(() => {
      const errors: unknown[] = []
      Object.assign(window, { errors })
      document.addEventListener('svc-captcha:error', (event) => errors.push((event as CustomEvent).detail))
    })
    await spend()
    await on.open()
    await on.until('waiting')
    expect(await on.status()).toBe('Busy, trying again…')
    await on.until('ready')
    expect(await on.page.evaluate('errors')).toEqual([])
    expect(await on.sent()).toEqual(ACCEPTED)
    const statuses = await Promise.all(on.calls('challenge').map(async (one) => (await one.response())?.status()))
    expect(statuses[0]).toBe(429)
    expect(statuses.at(-1)).toBe(200)
  })

  test('that has lost its Redis, the form waits, and is sent by itself when the service has it back', async () => {
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.redis.stop()
    await on.page.getByText('Free').click({ noWaitAfter: true })
    await on.until('waiting')
    expect(on.customer.submissions).toHaveLength(0)
    await on.redis.start()
    await on.arrived(1)
    expect(on.customer.submissions[0]).toMatchObject({ path: '/handle', verdict: { success: true } })
  }, 40_000)

  test('a page that is not set up correctly says so to its maker, by number', async () => {
    on.customer.page = on.customer.page.replace('data-action="sign-up"', '')
    const errors: string[] = []
    on.page.on('console', (message) => errors.push(message.text()))
    await on.open()
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.page.getByText('Free').click()
    await on.until('failed')
    expect(errors.join()).toContain('svc-captcha: 101')
    expect(await on.status()).toContain('(101)')
    expect(on.customer.submissions).toHaveLength(0)
  })
})

/** The operations asked for since so many requests; scripts and workers, whose addresses are others, left out. */
const callsSince = (before: number): string[] =>
  on.requests.slice(before).flatMap((one) => /\/api\/v1\/(\w+)$/.exec(one.url())?.[1] ?? [])

describe('a script', () => {
  test('that asks twice at once gets one token', async () => {
    await on.open()
    const tokens = await on.page.evaluate(() => Promise.all([svcCaptcha.execute(), svcCaptcha.execute()]))
    expect(new Set(tokens).size).toBe(1)
    expect(on.calls('solve')).toHaveLength(1)
  })

  test('resets as quickly the next time, and the time after', async () => {
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    for (let time = 0; time < 3; time++) {
      await on.answered('challenge', time + 2)
      const before = on.requests.length
      await on.page.evaluate(async () => {
        const solved = new Promise((resolve) =>
          document.addEventListener('svc-captcha:solved', resolve, { once: true }),
        )
        svcCaptcha.reset()
        await solved
      })
      expect(callsSince(before)[0]).toBe('solve')
    }
    expect(on.calls('solve')).toHaveLength(4)
  })

  test('is told what happens, once each', async () => {
    on.customer.page = on.customer.page.replace('class="svc-captcha"', 'class="svc-captcha" data-callback="onSolved"')
    await on.page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen, onSolved: (token: string) => seen.push(`callback ${token.length > 20}`) })
      for (const name of ['statechange', 'solved', 'reset'])
        document.addEventListener(`svc-captcha:${name}`, (event) => {
          seen.push((event as CustomEvent<{ state?: string }>).detail.state ?? name)
        })
    })
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    expect(await on.page.evaluate('seen')).toEqual(['working', 'verified', 'solved', 'callback true'])
  })

  test('that takes a widget out has the container to itself until it renders again', async () => {
    await on.open()
    await on.until('idle')
    await on.page.evaluate(() => svcCaptcha.remove())
    // Longer than the watch for new containers needs.
    await on.page.waitForTimeout(300)
    expect(await on.page.locator('.svc-captcha > *').count()).toBe(0)
    await on.page.evaluate(() => svcCaptcha.render('.svc-captcha'))
    await on.until('idle')
  })
})

/** docs/design/work.md, "Work in part" */
test('a device whose time is over gets a token for a part of the work', async () => {
  await begin({ work: { level: 3, maxLevel: 3, humanCost: seconds(60), fallback: true } })
  // As if it were over at once, for the browser and by the clock of the service, which takes no part before its time: the
  // machine of these tests is too fast, and its workers cannot be slowed down.
  let asked = 0
  await on.page.route('**/api/v1/challenge', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { work: { b: number; n: number } }
    asked = body.work.n
    on.ahead = body.work.b
    body.work.b = 1
    await route.fulfill({ response: answer, json: body })
  })
  await on.open()
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.page.getByText('Send').click({ noWaitAfter: true })
  await on.arrived(1)
  expect(on.customer.submissions[0]).toMatchObject({ verdict: { success: true } })
  const line = on.service.lines().find(({ code }) => code === 'solved')
  // The rule of the score counts what is missing only where no developer tools are open, and a driver's are.
  expect((line!['decision'] as { units: number }).units).toBeLessThan(asked)
}, 60_000)
