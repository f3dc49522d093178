import type { ScoreRule, VisitFacts } from '../score-rule.ts'

/** Seconds by which a browser's account may differ from our clock: whole seconds at both ends, and the way to us. */
const SLACK_S = 3
/** A solution from elsewhere so soon after the challenge is no phone that changed its network. Seconds. */
const AT_ONCE_S = 5

/** Rules that hold the server's own view against the summary. A script can wait and stay where it is; then it has to. */
export const SEEN_RULES: readonly ScoreRule[] = [
  {
    id: 137,
    name: 'solved-elsewhere',
    family: 'request',
    reason: 'network',
    weight: -1.2,
    when: ({ observation }) =>
      observation?.distance === 'elsewhere' ? 1 : observation?.distance === 'other-family' ? 0.25 : 0,
    evidence:
      'A challenge asked for in one network and solved in another: a relay, or a phone between wireless and mobile, which this alone does not fail.',
  },
  {
    id: 138,
    name: 'solved-elsewhere-at-once',
    family: 'request',
    reason: 'automation',
    weight: -1.8,
    when: ({ observation }) => observation?.distance === 'elsewhere' && observation.age < AT_ONCE_S,
    evidence: 'Within five seconds no device has changed its network and filled in a form.',
  },
  {
    id: 139,
    name: 'another-browser',
    family: 'request',
    reason: 'automation',
    weight: -3.5,
    when: ({ observation }) => observation?.sameAgent === false,
    evidence: 'Challenge and solution come from one page, so from one engine, system and version.',
  },
  {
    id: 140,
    name: 'minutes-made-up',
    family: 'request',
    reason: 'automation',
    weight: -3.5,
    when: ({ observation, signals }) =>
      observation !== undefined &&
      signals.page?.filling !== undefined &&
      (signals.page.filling / 1000 - observation.age - SLACK_S) / 4,
    evidence:
      'The widget counts the time of filling from the challenge on at the earliest, so it is no longer than the challenge is old.',
  },
]

/**
 * Input events that fit into the time of the visit: keys at their own pace, moves at theirs, presses as they are. A
 * summary that names more earns nothing for the rest.
 */
export function fittingInput({ signals: { input }, observation }: VisitFacts): { trusted: number; coalesced: number } {
  const { trusted = 0, coalesced = 0, moves = 0, moveGap = 8, keys = 0, keyGap = 60 } = input ?? {}
  if (!observation) return { trusted, coalesced }
  const ms = (observation.age + 1) * 1000
  const share = Math.min(1, ms / Math.max(1, moves * moveGap + keys * keyGap))
  return { trusted: share * trusted, coalesced: share * coalesced }
}
