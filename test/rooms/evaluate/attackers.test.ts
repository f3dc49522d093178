/** What fails `npm run attack -- --check`. The other functions of the lab's programs show in what these print. */
import { expect, test } from '@jest/globals'
import { fallenPrices } from '../../../lab/attackers/price.mjs'

const written = {
  name: 'one-address',
  asked: 100,
  accepted: 20,
  unitsForOne: 5000,
  oracle: { share: 0.5 },
  victims: { afterJunk: { touch: { score: 0.82 } } },
}
const afterJunk = { touch: { score: 0.43 } }
test.each<readonly [when: string, change: object, ...found: string[]]>([
  ['no row where a visit takes hardly less work', { unitsForOne: 4600 }],
  ['no row where some more pass by chance', { accepted: 31, unitsForOne: 3226 }],
  ['no row where the attacker is a new one', { name: 'other', unitsForOne: 1 }],
  [
    'work that fell by more than a tenth',
    { unitsForOne: 4400 },
    'a visit costs 880 units of work; it was 1000',
  ],
  [
    'a share above chance',
    { accepted: 33, unitsForOne: 3030 },
    '33 of 100 accepted; it was 20 of 100',
  ],
  [
    'a neighbour below the threshold',
    { victims: { afterJunk } },
    'touch scores 0.43 (afterJunk); it was 0.82',
  ],
  [
    'a school, some of whose people are refused and many wait for long',
    { asked: 40, accepted: 39, unitsForOne: undefined, school: { overFiveSeconds: 0.3 } },
    '39 of 40 accepted; it was 20 of 100',
    '39 of 40 people behind one address pass',
    '30 % of a school wait for more than five seconds',
  ],
  [
    'a stepped token of less than eight times the work',
    { inTurns: { units: 7.9, cpu: 9 } },
    'a stepped token takes 7.9 times the work of an ordinary one; it has to be 8',
  ],
  [
    'an oracle that tells far more',
    { oracle: { share: 0.9 } },
    'an oracle tells 0.9 rightly; it was 0.5',
  ],
])('the check against the written list names %s', (_when, change, ...found) => {
  expect(fallenPrices([{ ...written, ...change }], [written])).toEqual(
    found.map((says) => `one-address: ${says}`),
  )
})
