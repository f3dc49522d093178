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
