import type { HistoryFacts } from '../../history.ts'
import type { ScoreRule } from '../score-rule.ts'

/** Parts of one address, and of others in its network, that a slow device may stand for; and of a site at any time. */
const PARTS = { address: 3, network: 12, site: 10, timesUsual: 3, mostUsual: 0.1 } as const

function isPartTooOften({ address, network, site }: HistoryFacts): boolean {
  const ofSite = Math.max(PARTS.site, PARTS.timesUsual * Math.min(PARTS.mostUsual, site.usualParts) * site.solves)
  return address.parts >= PARTS.address || network.parts - address.parts >= PARTS.network || site.parts > ofSite
}

/** Rules on whether the work can have been done as the summary says. docs/design/proof-of-work.md, "Measured". */
export const WORK_RULES: readonly ScoreRule[] = [
  {
    id: 50,
    name: 'work-too-fast',
    family: 'work',
    reason: 'work',
    weight: -1,
    when: ({ signals, units }) => signals.work?.ms !== undefined && signals.work.ms * 2000 < units,
    evidence:
      'docs/design/proof-of-work.md#difficulty: 10 to 14 µs a unit and core; four workers cannot go under 2.5. A summary that says so was made up.',
  },
  {
    id: 51,
    name: 'work-in-part',
    family: 'work',
    reason: 'work',
    weight: -1.2,
    // As much for each half; a quarter, the least that is taken, costs all of it.
    when: ({ part }) => (part === undefined || part.early ? 0 : Math.log2(1 / part.done) / 2),
    evidence:
      'docs/design/proof-of-work.md#work-in-part: a device that is too slow is not failed. Evaluated: who only tabs and types has +1.5 in all (0.82), so 1.2 leaves a slow device +0.3, which is 0.57. A device that is not slow waits as long as one that is.',
  },
  {
    id: 52,
    name: 'work-in-part-early',
    family: 'work',
    reason: 'work',
    weight: -2.5,
    when: ({ part }) => part?.early === true,
    evidence: 'A part before its time was over: nothing of ours hands it in so.',
  },
  {
    id: 54,
    name: 'work-in-part-again',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: -1,
    when: ({ part, history }) => part !== undefined && history !== undefined && isPartTooOften(history),
    evidence:
      'docs/design/proof-of-work.md, "Work in part": for slow devices. The third part of one address in ten minutes, the thirteenth of its network, or a share of the site beyond three times its usual is a way to save work; it passes with more evidence only.',
  },
  {
    id: 53,
    name: 'work-by-fallback',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: 0.4,
    when: ({ fallback }) => fallback === true,
    evidence:
      'docs/design/proof-of-work.md#browsers-without-a-jit: pb.1 is for browsers without a JIT, and a graphics card is good at it. No score is above 0.6 with it: enough for a person at the default threshold, and for nobody at 0.65.',
  },
]
