import { expect, test } from '@jest/globals'
import type { DecisionRecord } from '../../src/score/decision-record.ts'
import { RELEASED } from '../../src/score/weight-changes.ts'
import { startFirefox } from '../support/firefox.ts'
import { HOSTILE } from '../support/proof/hostile.ts'
import { serveProof } from '../support/proof/page.ts'
import { proofSets } from '../support/proof/sets.ts'
import { coreSuite, wrongIn } from './core-suite.ts'
import { backstage, twoButtons } from './stage.ts'

const WITHOUT_JIT = {
  'javascript.options.blinterp': false,
  'javascript.options.baselinejit': false,
  'javascript.options.ion': false,
  'javascript.options.wasm': false,
}

coreSuite('Firefox', () => startFirefox(), [
  ['with exact clocks', () => startFirefox(WITHOUT_JIT)],
  [
    'with the coarse clocks of those who resist fingerprinting',
    () => startFirefox({ ...WITHOUT_JIT, 'privacy.resistFingerprinting': true }),
  ],
])

test.each([
  ['1.1', 24],
  ['0.67', 40],
])(
  'every task of the proof is right at %s pixels to the CSS pixel, smallest font %i',
  async (scale, font) => {
    const pages = await serveProof(HOSTILE.slice(0, 1))
    const firefox = await startFirefox({
      'layout.css.devPixelsPerPx': scale,
      'font.minimum-size.x-western': font,
    })
    const sets = proofSets(`firefox ${scale}`, 15)
    expect(await wrongIn(firefox, pages.address('plain'), sets)).toEqual([])
    await firefox.close()
  },
)

test.each([
  ['a driver that hides itself is told by the pressure of its presses', {}, true],
  [
    'presses say nothing where Firefox gives every event the same pressure',
    { 'privacy.resistFingerprinting': true },
    false,
  ],
])(
  '%s',
  async (_, preferences, fires) => {
    const on = await backstage({ weights: RELEASED })
    on.customer.page = twoButtons(on.service.base)
    const firefox = await startFirefox(preferences)
    await firefox.open(on.customer.url)
    await firefox.type('[name=email]', 'a@example.com')
    await firefox.click('[value=free]')
    await on.received(1)
    const { decision } = on.service.lines().find(({ message }) => message === 'solve') as {
      decision: DecisionRecord
    }
    const names = decision.contributions.map(({ name }) => name)
    expect(names.includes('flat-presses')).toBe(fires)
    await firefox.close()
  },
  60_000,
)
