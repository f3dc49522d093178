/** What the rise of the work costs a script and people: docs/design/work.md, "The rise with the rate". */
import { describe, expect, test } from '@jest/globals'
import { crowd, DEVICES, evenly, flatOut, SCHOOL_BELL, SCRIPTS } from './rise.mjs'
import { seconds } from '../../../src/domain/words.ts'

/** The defaults. */
const work = { level: 3, maxLevel: 8, humanCost: seconds(2), fallback: true }
const address = { family: 4, addresses: 1 } as const
const block = { family: 4, addresses: 254 } as const
const prefix = { family: 6, addresses: 4096 } as const
/** Two cores but for what the service takes of them. */
const cores = 1.9

const [works, first, hoards] = Object.values(SCRIPTS)
const AT_ONCE = [works, first]

describe('a script that is flat out for ten minutes', () => {
  test.each([
    { from: 'one address', source: address, scripts: [works, first, hoards], accepted: 240, price: 2500 },
    { from: 'a /24', source: block, scripts: AT_ONCE, accepted: 900, price: 1300 },
    // Four times one address.
    { from: 'a /48', source: prefix, scripts: AT_ONCE, accepted: 800, price: 1300 },
    // Before the work was compared at the solve: 322 tokens at 678, half of them at 406.
    { from: 'a /24, where it hoards challenges first', source: block, scripts: [hoards], accepted: 900, price: 1100 },
  ])('pays $price CPU seconds for a thousand tokens of $from', async ({ source, scripts, accepted, price }) => {
    for (const script of scripts)
      for (const phase of [0, 300, 500]) {
        const got = await flatOut({ work, source, script: script!, cores, phase })
        expect(got.accepted).toBeLessThanOrEqual(accepted)
        expect(got.cpuSecondsForThousand).toBeGreaterThanOrEqual(price)
      }
  })
})

describe('people', () => {
  const hour = (count: number) => evenly(count * 2, 0, 7200)
  const { school, carrier } = DEVICES
  test.each([
    { who: 'an office of 20 that begins work', at: evenly(20, 0, 60), device: school, half: 0.1, last: 1.5, over: 0 },
    { who: 'a class of 40 in one minute', at: evenly(40, 0, 60), device: school, half: 0.2, last: 3, over: 0 },
    { who: 'a school', at: SCHOOL_BELL, device: school, half: 2, last: 45, over: 0.2 },
    { who: 'a family', at: evenly(5, 0, 600), device: carrier, half: 0.4, last: 1.5, over: 0 },
    { who: 'a campus', source: block, at: evenly(500, 0, 600), device: school, half: 2, last: 20, over: 0.05 },
    { who: 'a carrier’s /24', source: block, at: hour(3000), device: carrier, half: 5, last: 20, over: 0.2 },
  ])('in $who wait no longer than the limits', async ({ source = address, at, device, half, last, over }) => {
    for (const phase of [0, 300, 500]) {
      const seen = await crowd({ work, source, arrivals: at, device, phase })
      expect(seen.people).toBe(at.length)
      expect(seen.medianWait).toBeLessThanOrEqual(half)
      expect(seen.longestWait).toBeLessThanOrEqual(last)
      expect(seen.overFiveSeconds).toBeLessThanOrEqual(over)
    }
  })
})
