import { expect, test } from '@jest/globals'
import { seconds } from '../../src/domain/words.ts'
import { startFirefox } from '../support/firefox.ts'
import { backstage } from './stage.ts'

/** As Tor Browser's middle setting has it. */
const WITHOUT_JIT = {
  'javascript.options.blinterp': false,
  'javascript.options.baselinejit': false,
  'javascript.options.ion': false,
  'javascript.options.wasm': false,
}

test.each([
  { when: 'with exact clocks', prefs: {} },
  {
    when: 'with the coarse clocks of those who resist fingerprinting',
    prefs: { 'privacy.resistFingerprinting': true },
  },
])(
  'Firefox without a JIT gets a token by pb.1, $when',
  async ({ prefs }) => {
    const firefox = await startFirefox({ ...WITHOUT_JIT, ...prefs })
    const on = await backstage({ work: { level: 3, maxLevel: 3, humanCost: seconds(2), fallback: true } })
    await firefox.open(on.customer.url)
    await firefox.type('[name=email]', 'a@example.com')
    await firefox.click('button')
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
    const lines = on.service.lines()
    expect(lines.filter(({ code }) => code === 'issued')).toHaveLength(2)
    expect(JSON.stringify(lines.find(({ code }) => code === 'solved')?.['decision'])).toContain('work-by-fallback')
    await firefox.close()
    await on.close()
  },
  120_000,
)
