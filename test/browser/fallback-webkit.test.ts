import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { startWebkit } from '../support/webkit.ts'
import { backstage } from './stage.ts'

/** As Lockdown Mode of iOS and macOS has it: JavaScriptCore interprets. */
test('WebKit without a JIT gets a token by pb.1', async () => {
  const webkit = await startWebkit({ JSC_useJIT: '0' })
  const on = await backstage({ work: { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true } })
  await webkit.open(on.customer.url)
  await webkit.type('[name=email]', 'a@example.com')
  await webkit.click('button')
  await on.received(1)
  expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
  const lines = on.service.lines()
  expect(lines.filter(({ code }) => code === 'issued')).toHaveLength(2)
  expect(JSON.stringify(lines.find(({ code }) => code === 'solved')?.['decision'])).toContain('work-by-fallback')
  await webkit.close()
  await on.close()
}, 120_000)
