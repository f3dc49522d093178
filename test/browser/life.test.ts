import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { beginWithButtons, fetchForm, inChromium, on } from './stage.ts'

/** Work early, mint late: docs/widget/widget.md, "The widget". */
declare const svcCaptcha: SvcCaptcha

inChromium(() => beginWithButtons())

const fill = (): Promise<void> => on.page.getByLabel('Email').fill('a@example.com')
/** Sends the form at the first try, and says what the customer's server was told of it. */
async function sent(): Promise<unknown> {
  await on.page.getByText('Free').click()
  await on.arrived(1)
  return on.customer.submissions[0]!.verdict['success']
}
const asked = async (operation: string, count: number): Promise<void> => {
  while (on.calls(operation).length < count) await sleep(10)
  expect(on.calls(operation)).toHaveLength(count)
}
/** Notes from now on every event of the widget. */
const listen = (): Promise<void> =>
  on.page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    for (const name of ['statechange', 'solved', 'expired', 'error', 'reset'])
      document.addEventListener(`svc-captcha:${name}`, (event) =>
        seen.push(`${name} ${(event as CustomEvent<{ state?: string }>).detail.state ?? ''}`.trim()),
      )
  })
/** Lets the time of page and service go by; where the page asks for a challenge, it has the real time that its work takes. */
async function pass(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes * 60; passed += 5) {
    const before = { challenges: on.calls('challenge').length, workers: on.workers.length }
    on.ahead += 5000
    await on.page.clock.runFor(5000)
    // What the page asked for meanwhile is known here once it answers.
    await on.page.evaluate('0')
    if (on.calls('challenge').length > before.challenges) await worked(before.workers)
  }
}
/**
 * Waits until the page has started workers since there were so many, and ended them all, and starts no other: then its work
 * is done. In between, the page's clock must not run: a worker that does not answer in time is given up.
 */
async function worked(before: number): Promise<void> {
  let quiet = 0
  while (quiet < 30) {
    quiet = on.workers.length > before && on.page.workers().length === 0 ? quiet + 1 : 0
    await sleep(10)
  }
}
const heard = (): Promise<unknown> => on.page.evaluate('seen')

describe('a form left open', () => {
  // Every timer of the page fires when it is due, in an hour that the clocks of page and service share.
  test('has its work renewed for an hour, is then left alone, and is sent at the first try after a night', async () => {
    await on.page.clock.install()
    await on.open()
    await fill()
    await on.until('ready')
    await listen()
    await pass(60)
    expect(await heard()).toEqual([])
    // The first one, and one for every 585 s: the life of a challenge less a margin.
    expect(on.calls('challenge')).toHaveLength(7)
    await pass(15)
    expect(await on.state()).toBe('idle')
    on.ahead += 8 * 3_600_000
    await on.page.clock.fastForward(8 * 3_600_000)
    expect(on.calls('challenge')).toHaveLength(7)
    expect(await sent()).toBe(true)
    expect(on.calls('solve')).toHaveLength(1)
  }, 180_000)

  test.each([
    { when: 'was emptied', change: () => on.redis.cli('FLUSHALL') },
    { when: 'began anew', change: () => on.redis.restart() },
  ])('while the ledger $when gets new work in silence, and is sent at the first try', async ({ change }) => {
    await on.open()
    await fill()
    await on.until('ready')
    await change()
    // Until the service has seen it; before that it asks to wait.
    while ((await fetch(`${on.service.base}/health`)).status !== 200) await sleep(50)
    await on.page.evaluate(() => {
      document.addEventListener('svc-captcha:error', () => (document.title = 'told'))
    })
    await on.page.getByText('Free').click({ noWaitAfter: true })
    expect(await on.page.title()).toBe('Shop')
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    expect(on.calls('challenge')).toHaveLength(2)
    expect(on.calls('solve')).toHaveLength(2)
  })

  test('renews its work before the challenge is over, without a sign', async () => {
    await beginWithButtons({ challengeLifetime: seconds(2) })
    await on.open()
    await fill()
    await on.until('ready')
    await listen()
    await asked('challenge', 3)
    expect(await heard()).toEqual([])
    expect(await sent()).toBe(true)
  })

  test('with a token in hand sends a fresh one', async () => {
    await beginWithButtons({ tokenLifetime: seconds(3) })
    await on.open()
    await fill()
    const first = await on.page.evaluate(() => svcCaptcha.execute())
    await on.page.waitForTimeout(5000)
    expect(await sent()).toBe(true)
    expect(on.tokenOf(0)).not.toBe(first)
  })
})

describe('a token', () => {
  test('that a script holds is renewed before it expires, without a sign, and the renewed one is accepted', async () => {
    await beginWithButtons({ tokenLifetime: seconds(3) })
    await on.open()
    const first = await on.page.evaluate(() => svcCaptcha.execute())
    await listen()
    // While the renewal is on its way, too, there is a token: a page that reads it then must not send an empty field.
    await on.page.route('**/api/v1/solve', (route) => sleep(300).then(() => route.continue()))
    await on.page.evaluate(() => {
      const empty = { reads: 0, times: 0 }
      Object.assign(window, { empty })
      setInterval(() => {
        empty.reads++
        if (svcCaptcha.getResponse() === '' || svcCaptcha.isExpired()) empty.times++
      }, 5)
    })
    await on.page.waitForTimeout(5000)
    expect(await on.page.evaluate('empty.times')).toBe(0)
    // The next one, as soon as it is there: it has its whole life before it.
    const held = await on.page.evaluate(() => svcCaptcha.getResponse())
    await on.page.waitForFunction((old) => svcCaptcha.getResponse() !== old, held)
    const next = await on.page.evaluate(() => svcCaptcha.getResponse())
    expect([first, held, '']).not.toContain(next)
    expect(await heard()).toEqual([])
    expect(await on.verified(next)).toBe(true)
  })

  test('that went with a form which stayed on the page is followed by work in the background', async () => {
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await fill()
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.received(1)
    // Nobody touches anything.
    await asked('challenge', 2)
    await on.page.waitForTimeout(500)
    expect(on.calls('solve')).toHaveLength(1)
    await on.page.getByText('Paid').click()
    await on.received(2)
    expect(on.calls('solve')).toHaveLength(2)
    expect(on.customer.submissions.map(({ verdict }) => verdict['success'])).toEqual([true, true])
  })
})
