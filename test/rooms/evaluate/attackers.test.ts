/** What fails `npm run attack -- --check`. The other functions of the lab's programs show in what these print. */
import { describe, expect, test } from '@jest/globals'
import { fallenPrices } from '../../../lab/attackers/price.mjs'

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
