import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Whether anybody looked at the page. Weak: people open tabs in the background. RISK.md, section 1. */
export const PAGE_RULES: readonly ScoreRule[] = [
  {
    id: 20,
    name: 'page-focused',
    family: 'page',
    reason: 'behaviour',
    weight: 0.3,
    when: ({ signals }) => signals.page?.focused === 1 && signals.page.visible === 1,
    evidence:
      'RISK.md 1: background automation and farms are hidden or never focused; tabs opened in the background are people.',
  },
  {
    id: 21,
    name: 'never-visible',
    family: 'page',
    reason: 'behaviour',
    weight: -0.5,
    when: ({ signals }) => signals.page?.visible === 0,
    evidence: 'RISK.md 1: weak.',
  },
  {
    id: 22,
    name: 'filled-at-once',
    family: 'page',
    reason: 'behaviour',
    weight: -0.8,
    when: ({ signals }) =>
      signals.page?.filling !== undefined && signals.page.filling < 500 && count(signals.input?.autofills) === 0,
    evidence:
      'A form is not read and filled in half a second by hand; autofill and one click is a person, so it is left out.',
  },
  {
    id: 23,
    name: 'focus-by-nobody',
    family: 'page',
    reason: 'behaviour',
    weight: -0.4,
    when: ({ signals }) => ((signals.page?.loneFocus ?? 0) - 3) / 4,
    evidence: 'RISK.md 1: focus that moves without input; assistive technology moves it too: weak, and three are free.',
  },
]
