/** A site's own rules on the way: which a visit meets, what that does to its work and its score, and what the log says. */
import { describe, expect, test } from '@jest/globals'
import type { NetworkFacts } from '../../../src/domain/network.ts'
import type { ResponseClaims } from '../../../src/domain/response.ts'
import type { VisitConditions } from '../../../src/domain/site-rules/visit-conditions.ts'
import { type RuleEffect, visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { caller, NOW, operations, site, SITEKEY, solvedChallenge } from './parts.ts'

const network: NetworkFacts = { asn: 64_496, country: 'DE', lists: [] }
const rule = (when: VisitConditions, effect: RuleEffect) => visitRule({ name: 'ours', when, effect, until: undefined })
const on = (when: VisitConditions, effect: RuleEffect, change: Parameters<typeof site>[0] = {}) =>
  operations({
    network,
    sites: [
      site({
        work: { level: 1, maxLevel: 6, humanCost: seconds(60), fallback: false },
        rules: [rule(when, effect)],
        ...change,
      }),
    ],
  })
const genuine = { sitekey: SITEKEY, action: 'sign-up' }

describe('of a challenge', () => {
  const more: RuleEffect = { kind: 'adjust', score: 0, work: 3 }

  test.each<[VisitConditions, boolean, boolean]>([
    [{ action: ['sign-up'] }, true, true],
    [{ action: ['log-in'] }, false, false],
    [{ cidr: ['203.0.113.0/24'] }, true, false],
    [{ cidr: ['198.51.100.0/24'] }, false, false],
    [{ asn: [64_496] }, true, false],
    [{ country: ['FR'] }, false, false],
    [{ userAgent: ['Chrome/156'] }, true, true],
    [{ userAgent: ['Firefox'] }, false, false],
    // 2027-01-15, 08:00 UTC.
    [{ hour: '8-9' }, true, true],
    [{ hour: '9-8' }, false, false],
  ])('%j is met: %s; by a stranger: %s', async (when, met, byStranger) => {
    for (const [address, meets] of [
      ['203.0.113.7', met],
      [undefined, byStranger],
    ] as const) {
      const from = caller({ address })
      const { work } = await (await on(when, more)).issue(genuine, from)
      expect([work.n, (from.notes as { rule?: string }).rule]).toEqual(meets ? [18_432, 'ours'] : [4608, undefined])
    }
  })
  test.each<[RuleEffect, number]>([
    [{ kind: 'adjust', score: 2, work: undefined }, 4608],
    [{ kind: 'adjust', score: 2, work: 0 }, 1536],
    [{ kind: 'deny' }, 4608],
    [{ kind: 'allow' }, 4608],
  ])('%j: %i units, and the log names it', async (effect, units) => {
    const from = caller()
    const { work } = await (await on({ action: ['sign-up'] }, effect)).issue(genuine, from)
    expect(work.n).toBe(units)
    expect(from.notes).toMatchObject({ rule: 'ours' })
  })
})

describe('of a solve', () => {
  const work = { level: 0, maxLevel: 0, humanCost: seconds(2), fallback: false }
  test.each<[VisitConditions, RuleEffect, number, true | undefined]>([
    [{ action: ['sign-up'] }, { kind: 'deny' }, 0, true],
    [{ cidr: ['203.0.113.7'] }, { kind: 'allow' }, 1, true],
    [{ country: ['DE'] }, { kind: 'deny' }, 0, true],
    [{ hour: '8-9' }, { kind: 'deny' }, 0, true],
    [{ userAgent: ['Firefox'] }, { kind: 'deny' }, 0.88, undefined],
  ])('%j, %j: a score of %d', async (when, effect, score, named) => {
    const service = await on(when, effect, { work })
    const from = caller()
    const { token } = await service.solve(await solvedChallenge(service), from)
    const opened = (await service.tokens.openResponse(token, SITEKEY, unixSeconds(NOW))) as ResponseClaims
    expect(opened.sealed.decision.score).toBe(score)
    const { decision } = from.notes as { decision: { rule?: object; network: object } }
    expect(decision.network).toEqual({ asn: 64_496, country: 'DE' })
    expect(decision.rule).toEqual(named && { name: 'ours', id: rule(when, effect).id, ...effect })
  })
})
