import { type HistoryFacts, ramp, suspicion } from '../history.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'

const when = (strength: (facts: HistoryFacts) => number) => ({
  when: ({ history }: VisitFacts): number => (history ? strength(history) : 0),
})

/**
 * What Redis remembers of address, network and site. Each curve begins where a school, an office or a carrier's shared
 * address does not come (test/domain/history.test.ts has them): what many people do is many, but it is not the same,
 * and most of it is good.
 */
export const HISTORY_RULES: readonly ScoreRule[] = [
  {
    id: 150,
    name: 'same-behaviour-again',
    family: 'history',
    reason: 'velocity',
    weight: -4,
    ...when(({ again, network }) => ramp(again - 0.01 * network.solves, 3, 9)),
    evidence:
      'RISK.md 1: farms and replayed recordings. Counts and times to the tenth of a second agree for two people once in thousands of visits.',
  },
  {
    id: 151,
    name: 'same-behaviour-on-the-site',
    family: 'history',
    reason: 'velocity',
    weight: -4,
    ...when(({ everywhere, siteSolves }) => ramp(everywhere - 0.005 * siteSolves, 8, 20)),
    evidence: 'RISK.md 1: the same, sent through many networks; learned within a second, after the fact.',
  },
  {
    id: 152,
    name: 'alike-behaviour-again',
    family: 'history',
    reason: 'velocity',
    weight: -3,
    ...when(({ alike, network }) => ramp(alike - 0.15 * network.solves, 3, 8)),
    evidence:
      'A recording altered by a step here and there falls into few cells; of a crowd no cell holds 15 in 100 (simulated, test/domain/behaviour.test.ts).',
  },
  {
    id: 153,
    name: 'troubled-address',
    family: 'history',
    reason: 'velocity',
    weight: -1.2,
    ...when((facts) => Math.max(suspicion(facts), facts.suspected)),
    evidence: 'Wrong solutions and low scores of this address or network in the last ten minutes, beyond the odd ones.',
  },
  {
    id: 154,
    name: 'busy-address',
    family: 'history',
    reason: 'velocity',
    weight: -0.8,
    ...when(({ address }) => ramp(address.solves, 200, 600)),
    evidence:
      'RISK.md 1: many solves per address. 200 in ten minutes are 1,200 people an hour behind one address; beyond, the work has risen too.',
  },
  {
    id: 155,
    name: 'never-verified',
    family: 'history',
    reason: 'velocity',
    weight: -0.6,
    ...when(({ network }) => ramp(network.solves - 4 * network.verified, 60, 200)),
    evidence:
      'Tokens are minted at submit and verified at once; a network of which hardly any is has no forms behind it. A customer that verifies elsewhere loses little.',
  },
]
