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
  {
    id: 51,
    name: 'work-in-part',
    family: 'work',
    reason: 'work',
    weight: -2.5,
    // A level less each half: what is saved is lost again. A quarter, the least that is taken, costs all of it.
    when: ({ part }) => (part === undefined ? 0 : part.early ? 1 : Math.log2(1 / part.done) / 2),
    evidence:
      'POW.md, "Difficulty": a device that is too slow is not failed. Whoever is not slow and hands in half pays 1.25 for half a price of work; before its time is over, 2.5.',
  },
]
