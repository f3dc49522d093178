import { addressTrouble, type HistoryFacts, networkTrouble, ramp } from '../../history.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'

const when = (strength: (facts: HistoryFacts) => number) => ({
  when: ({ history }: VisitFacts): number => (history ? strength(history) : 0),
})

/** Cells of a crowd hold a few visits each: so many beyond chance, and one more for each so many solves of the site. */
const ALIKE = { count: 2, solvesForOneMore: 5000 } as const

/** Grids in which others were in the same cell more often than chance puts them there. */
const alikeGrids = ({ alike, site }: HistoryFacts): number =>
  alike.filter((count) => count >= ALIKE.count + site.solves / ALIKE.solvesForOneMore).length

/** A site whose customer asks about most tokens, and has had enough visits to tell. */
const isVerifying = ({ site }: HistoryFacts): boolean => site.solves >= 20 && site.verified >= 0.25 * site.solves

/**
 * The record of address, network and site. An address pays for what it did itself: on this site in full, elsewhere for a
 * quarter. The record of others in its network takes 0.3 at most. Each curve begins where a school, an office or a carrier's
 * shared address does not come (test/rooms/domain/history.test.ts has them).
 */
export const HISTORY_RULES: readonly ScoreRule[] = [
  {
    id: 150,
    name: 'same-behaviour-again',
    family: 'history',
    reason: 'velocity',
    weight: -4,
    when: ({ history, shows }) => {
      if (!history) return 0
      const beyond = history.again - 0.005 * history.site.solves
      return shows === 'much' ? ramp(beyond, 1, 4) : ramp(beyond, 8, 20)
    },
    evidence:
      'docs/design/risk.md#reuse: farms and replayed recordings, on the whole site. Many counts and times agree for two people once in thousands of visits; few of them agree now and then.',
  },
  {
    id: 152,
    name: 'alike-behaviour-again',
    family: 'history',
    reason: 'velocity',
    weight: -4,
    ...when((facts) => ramp(alikeGrids(facts), 1, 2)),
    evidence:
      'A recording altered by some per cent falls into the same cells on several grids; of 10,000 people on one site hardly anybody does (test/rooms/domain/score/behaviour.test.ts).',
  },
  {
    id: 153,
    name: 'troubled-address',
    family: 'history',
    reason: 'velocity',
    weight: -2.4,
    ...when(addressTrouble),
    evidence: 'Wrong solutions and low scores of this very address in the last ten minutes, beyond the odd ones.',
  },
  {
    id: 156,
    name: 'troubled-network',
    family: 'history',
    reason: 'velocity',
    weight: -0.3,
    ...when(networkTrouble),
    evidence:
      'Low scores of others in the /24 or /48, of solves whose work was done. The least weight: no person pays for a neighbour.',
  },
  {
    id: 154,
    name: 'busy-address',
    family: 'history',
    reason: 'velocity',
    weight: -0.8,
    ...when(({ address }) => ramp(address.solves, 200, 600)),
    evidence:
      'Many solves of one address. 200 in ten minutes are 1,200 people an hour behind it; beyond, the work has risen too.',
  },
  {
    id: 155,
    name: 'never-verified',
    family: 'history',
    reason: 'velocity',
    weight: -1.8,
    ...when((facts) => (isVerifying(facts) ? ramp(facts.here.solves - 3 * facts.here.verified, 10, 28) : 0)),
    evidence:
      'Tokens are minted at submit and verified at once; an address that makes many and spends none has no forms. Counted for the address itself, and on sites that verify.',
  },
]
