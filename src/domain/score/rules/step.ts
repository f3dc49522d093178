import type { ScoreRule } from '../score-rule.ts'

/**
 * The second visit of a step-up. The family counts only up to `STEP_LIFTS_TO` (sum.ts): a step helps a visit over an
 * ordinary threshold, and never makes a visit look better than an ordinary good one.
 */
export const STEP_RULES: readonly ScoreRule[] = [
  {
    id: 190,
    name: 'stepped-up',
    family: 'step',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ step }) => step === 'confirmed',
    evidence:
      'docs/design/risk.md#step-up: the visitor pressed the button of the step after three seconds, did the larger work and answered two more sets of proof tasks.',
  },
  {
    id: 191,
    name: 'step-unconfirmed',
    family: 'step',
    reason: 'behaviour',
    weight: -0.3,
    when: ({ step }) => step === 'unconfirmed',
    evidence:
      'docs/design/risk.md#step-up: the ticket was handed in without the button, or with a wrong answer to one of the tasks.',
  },
]
