import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LIST_NAMES } from '../src/guest-lists.ts'
import { rulesOfGuests } from '../src/guests.ts'
import { formsOf } from '../src/readings.ts'
import { RuleIndex } from '../src/rule-index.ts'
import { isLike } from '../src/rules.ts'
import type { RuleSettings } from '../src/settings.ts'

const text = fc.array(fc.constantFrom('/', '*', 'a', 'b', '.', '%2F', '%61', 'feed', 'refs'), {
  maxLength: 7,
})
const path = text.map((parts) => `/${parts.join('')}`)
const names = ['googlebot', 'webhooks']
const rule: fc.Arbitrary<RuleSettings> = fc.record({
  name: fc.constant('x'),
  effect: fc.constantFrom('allow', 'deny', 'level 1', 'level 2'),
  when: fc.record(
    {
      path: fc.array(path, { minLength: 1, maxLength: 3 }),
      guest: fc.subarray(names, { minLength: 1 }),
    },
    { requiredKeys: [] },
  ),
})

/** Reports whether a rule has to be looked at, by looking at it. */
function mayMatch({ when, effect }: RuleSettings, asked: string, guests: readonly string[]) {
  if (when.guest && !when.guest.some((name) => guests.includes(name))) return false
  if (effect !== 'allow' || !when.path) return true
  return when.path.some((pattern) => formsOf(pattern).exact.some((form) => isLike(asked, form)))
}

test('an index leaves out no rule that may match, and keeps the order', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 12 }),
      path,
      fc.subarray(names),
      (rules, asked, who) => {
        const found = new RuleIndex(rules).candidates(asked, who)
        expect(found).toEqual(rules.filter((each) => found.includes(each)))
        const scanned = rules.filter((each) => mayMatch(each, asked, who))
        expect(scanned.filter((each) => !found.includes(each))).toEqual([])
      },
    ),
    { numRuns: 2000 },
  )
})

test('of the lists that ship, a page of a site has none to look at', () => {
  const index = new RuleIndex(rulesOfGuests(LIST_NAMES))
  expect(index.candidates('/shop/shoes', [])).toEqual([])
  const nameAt = (asked: string, guests: readonly string[] = []) =>
    index.candidates(asked, guests).map(({ name }) => name)
  expect(nameAt('/feed/atom')).toEqual(['feeds'])
  expect(nameAt('/team/x.git/info/refs')).toEqual(['git-refs'])
  expect(nameAt('/sitemap.xml', ['googlebot', 'search-engines'])).toEqual([
    'googlebot',
    'crawlers-files',
  ])
})
