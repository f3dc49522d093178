import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ACCEPTED, begin, inChromium, on } from './stage.ts'

/** How long work and tokens live: docs/widget/widget.md, "The widget". */
declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

// Challenges live for two seconds instead of ten minutes, so six renewals stand for an hour.
test('a form left open has its work renewed six times, is then left alone, and is sent at the first try after a night', async () => {
  await begin({ challengeLifetime: seconds(2) })
  await on.open()
  await on.prepare()
  const before = await on.heard()
  await on.answered('challenge', 7)
  expect(await on.heard()).toEqual(before)
  await on.until('idle')
  on.ahead = 8 * 3_600_000
  await sleep(2000)
  expect(on.calls('challenge')).toHaveLength(7)
  await on.press()
  expect((await on.arrived(1)).verdict['success']).toBe(true)
  expect(on.calls('solve')).toHaveLength(1)
})

test('a form whose ledger was emptied silently gets new work, and is sent at the first try', async () => {
  await on.open()
  await on.prepare()
  await on.redis.cli('FLUSHALL')
  // Until the service has seen it; before that it answers 503.
  while ((await fetch(`${on.service.base}/health`)).status !== 200) await sleep(50)
  await on.press()
  expect(await on.events()).toEqual([])
  expect((await on.arrived(1)).verdict['success']).toBe(true)
  expect([on.calls('challenge').length, on.calls('solve').length]).toEqual([2, 2])
})

test('a token that a script has is renewed silently and without a gap, and the form has a different one', async () => {
  await begin({ tokenLifetime: seconds(3) })
  await on.open()
  const first = await on.page.evaluate(() => svcCaptcha.execute())
  const before = await on.heard()
  // There is a token even during the renewal: a page that reads it then must not send an empty field.
  await on.page.route('**/api/v1/solve', (route) => sleep(300).then(() => route.continue()))
  await on.page.evaluate(() => {
    const empty = { times: 0 }
    Object.assign(window, { empty })
    setInterval(() => {
      if (svcCaptcha.getResponse() === '' || svcCaptcha.isExpired()) empty.times++
    }, 5)
  })
  await on.page.waitForTimeout(5000)
  expect(await on.page.evaluate('empty.times')).toBe(0)
  expect(await on.page.evaluate(() => svcCaptcha.getResponse())).not.toBe(first)
  expect(await on.heard()).toEqual(before)
  expect(await on.sent()).toEqual(ACCEPTED)
  expect(on.tokenOf(0)).not.toBe(first)
})

/** Stops each submit, as plug-ins for a second factor do, and keeps what the form had then. */
const STOP = `document.addEventListener('submit', (event) => {
  event.preventDefault()
  window.first = new FormData(event.target).get('svc-response')
})`
const SEND = 'HTMLFormElement.prototype.submit.call(document.forms[0])'

test.each([
  {
    when: 'after two lives of a token, while work of it is left',
    life: 3,
    afterMs: 6000,
    isAway: false,
  },
  {
    when: 'in the last part of its life, while the service is away',
    life: 8,
    afterMs: 6300,
    isAway: true,
  },
])(
  'a form that the page stopped has a token for a script that sends it: $when',
  async ({ life, afterMs, isAway }) => {
    await begin({ tokenLifetime: seconds(life) })
    await on.open()
    await on.page.evaluate(STOP)
    await on.prepare()
    await on.press()
    await on.page.waitForFunction('window.first')
    if (isAway) await on.page.route('**/api/**', (route) => route.abort())
    await on.page.waitForTimeout(afterMs)
    await on.page.evaluate(SEND)
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  },
)

test('a form whose token was used gets another one at the next press, also after the first was renewed', async () => {
  await begin({ tokenLifetime: seconds(3) })
  await on.open()
  await on.page.evaluate(STOP)
  await on.prepare()
  await on.press()
  await on.page.waitForFunction('window.first')
  const first = await on.page.evaluate<string>('window.first')
  expect(await on.verified(first)).toBe(true)
  await on.page.waitForFunction('svcCaptcha.getResponse() !== window.first')
  expect(await on.verified(await on.page.evaluate<string>('svcCaptcha.getResponse()'))).toBe(false)
  await on.page.evaluate('window.first = ""')
  await on.press()
  await on.page.waitForFunction('window.first')
  expect(await on.verified(await on.page.evaluate<string>('window.first'))).toBe(true)
})
