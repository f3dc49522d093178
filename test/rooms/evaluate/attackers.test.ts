import { describe, expect, test } from '@jest/globals'
import { bestClassifier } from '../../../lab/attackers/kinds/oracle.mjs'
import { fallenPrices, priced } from '../../../lab/attackers/price.mjs'
import { cheapestFirst } from '../../../lab/attackers/report.mjs'

const attacker = { name: 'one-address', what: 'one address' }
const spent = { seconds: 60, cpuSeconds: 5, unitMicroseconds: 50, unitsDone: 100_000 }
const outcome = { asked: 40, accepted: 20, ...spent, scores: [0.9, 0.4, 0.6] }

test('a price is the CPU time and the wall clock for 1,000 accepted tokens', () => {
  expect(priced(attacker, outcome)).toMatchObject({
    cpuSecondsForThousand: 250,
    minutesForThousand: 50,
    unitsForOne: 5000,
    scores: [0.4, 0.6, 0.9],
  })
})

test('an attacker that is accepted never has no price, and comes last', () => {
  const never = priced({ ...attacker, name: 'no-proof' }, { ...outcome, accepted: 0 })
  expect(never).not.toHaveProperty('cpuSecondsForThousand')
  const names = cheapestFirst([never, priced(attacker, outcome)]).map(({ name }) => String(name))
  expect(names).toEqual(['one-address', 'no-proof'])
})

describe('the check against the written list', () => {
  const written = {
    name: 'one-address',
    asked: 100,
    accepted: 20,
    unitsForOne: 5000,
    oracle: { share: 0.5 },
    victims: { afterJunk: { touch: { score: 0.82 } } },
  }
  test.each([
    { then: 'nothing', when: 'a visit takes hardly less work', change: { unitsForOne: 4600 }, found: [] },
    { then: 'nothing', when: 'some more pass by chance', change: { accepted: 31, unitsForOne: 3226 }, found: [] },
    { then: 'nothing', when: 'the attacker is a new one', change: { name: 'other', unitsForOne: 1 }, found: [] },
    {
      then: 'the work',
      when: 'a visit takes less by more than a tenth',
      change: { unitsForOne: 4400 },
      found: ['one-address: a visit costs 880 units of work; it was 1000'],
    },
    {
      then: 'the share',
      when: 'more are accepted than by chance',
      change: { accepted: 33, unitsForOne: 3030 },
      found: ['one-address: 33 of 100 accepted; it was 20 of 100'],
    },
    {
      then: 'a person',
      when: 'a neighbour of the attacker falls below the threshold',
      change: { victims: { afterJunk: { touch: { score: 0.43 } } } },
      found: ['one-address: touch scores 0.43 (afterJunk); it was 0.82'],
    },
    {
      then: 'a school',
      when: 'some of its people are refused or many wait for long',
      change: { asked: 40, accepted: 39, unitsForOne: undefined, school: { overFiveSeconds: 0.3 } },
      found: [
        'one-address: 39 of 40 accepted; it was 20 of 100',
        'one-address: 39 of 40 people behind one address pass',
        'one-address: 30 % of a school wait for more than five seconds',
      ],
    },
    {
      then: 'the step',
      when: 'a stepped token takes less than eight times the work of an ordinary one',
      change: { inTurns: { units: 7.9, cpu: 9 } },
      found: ['one-address: a stepped token takes 7.9 times the work of an ordinary one; it has to be 8'],
    },
    {
      then: 'the oracle',
      when: 'it tells far more',
      change: { oracle: { share: 0.9 } },
      found: ['one-address: an oracle tells 0.9 rightly; it was 0.5'],
    },
  ])('names $then when $when', ({ change, found }) => {
    expect(fallenPrices([{ ...written, ...change }], [written])).toEqual(found)
  })
})

test('the classifier of the score oracle tells the sides apart by a field that differs', () => {
  const samples = Array.from({ length: 400 }, (_, i) => {
    const isBad = i % 2 === 1
    return { isBad, isHeldBack: i % 4 > 1, numbers: { n: isBad ? 24_000 : 18_432, iat: i } }
  })
  expect(bestClassifier(samples)).toEqual({ field: 'n', share: 1 })
})
