import { expect, test } from '@jest/globals'
import type { AddressHash } from '../../../src/domain/address-hash.ts'
import type { ResponseClaims } from '../../../src/claims/response.ts'
import {
  type Evidence,
  judge,
  rejected,
  verdictCode,
  wouldReject,
} from '../../../src/claims/verdict.ts'

const address = '4gh' as AddressHash
const other = '4gx' as AddressHash
const claimsWith = (change: { score?: number; address?: undefined }): ResponseClaims => {
  const { score, ...solver } = { score: 0.7, address, ...change }
  const decision = { model: 1, score, contributions: [], weights: '', rule: undefined }
  const sealed = { decision, ...solver }
  return { action: 'log-in', hostname: 'shop.example.com', sealed } as unknown as ResponseClaims
}

const genuine: Evidence = {
  claims: claimsWith({}),
  expectedAction: 'log-in',
  remote: address,
  scoreThreshold: 0.5,
}
const twiceWrong = { remote: other, scoreThreshold: 1 } as const

test.each<{ then: string; when: string; change: Partial<Evidence> }>([
  { then: 'accepted', when: 'everything holds', change: {} },
  {
    then: 'accepted',
    when: 'the score equals the threshold',
    change: { claims: claimsWith({ score: 0.5 }) },
  },
  { then: 'accepted', when: 'no action was expected', change: { expectedAction: undefined } },
  { then: 'accepted', when: 'no remoteip was sent', change: { remote: undefined } },
  { then: 'accepted', when: 'the families differ', change: { remote: '6gx' as AddressHash } },
  { then: 'accepted', when: 'one address is private', change: { remote: '4px' as AddressHash } },
  {
    then: 'accepted',
    when: 'nobody knows who solved',
    change: { claims: claimsWith({ address: undefined }) },
  },
  {
    then: 'low-score',
    when: 'the score is just below',
    change: { claims: claimsWith({ score: 0.49 }) },
  },
  {
    then: 'low-score',
    when: 'the score is not a number',
    change: { claims: claimsWith({ score: NaN }) },
  },
  { then: 'low-score', when: 'the threshold is not a number', change: { scoreThreshold: NaN } },
  {
    then: 'action-mismatch',
    when: 'the action differs only in case',
    change: { expectedAction: 'Log-In' },
  },
  {
    then: 'action-mismatch',
    when: 'the action has a space more',
    change: { expectedAction: 'log-in ' },
  },
  {
    then: 'action-mismatch',
    when: 'the action has a homoglyph',
    change: { expectedAction: 'lоg-in' },
  },
  { then: 'remoteip-mismatch', when: 'the address is another', change: { remote: other } },
  {
    then: 'action-mismatch',
    when: 'all of it is wrong',
    change: { ...twiceWrong, expectedAction: 'x' },
  },
  { then: 'remoteip-mismatch', when: 'address and score are wrong', change: twiceWrong },
])('$then when $when', ({ then, change }) => {
  expect(verdictCode(judge({ ...genuine, ...change }))).toBe(then)
})

test.each<[Partial<Evidence>, number | undefined, boolean]>([
  [{}, 0.8, true],
  [{}, 0.7, false],
  [{}, 0.1, false],
  [{}, NaN, true],
  [{}, undefined, false],
  [{ scoreThreshold: 0.9 }, 0.95, false],
])('for a score of 0.7, %j, the shadow threshold %s would reject: %s', (change, tried, would) => {
  expect(wouldReject(judge({ ...genuine, ...change }), tried)).toBe(would)
})
test('a rejected visit is not counted as a shadow rejection', () =>
  expect(wouldReject(rejected('timeout-or-duplicate'), 1)).toBe(false))
