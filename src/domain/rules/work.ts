import type { ScoreRule } from '../score-rule.ts'

/** Whether the work can have been done as the summary says. POW.md, "Measured". */
export const WORK_RULES: readonly ScoreRule[] = [
  {
    id: 50,
    name: 'work-too-fast',
    family: 'work',
    reason: 'work',
    weight: -1,
    when: ({ signals, units }) => signals.work?.ms !== undefined && signals.work.ms * 1000 < units * 4,
    evidence:
      'POW.md: 60 to 84 µs a unit and core; four workers cannot go under 15. A summary that says so was made up.',
  },
]
