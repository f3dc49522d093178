import type { ScoreRule } from '../score-rule.ts'
import type { Signals } from '../signals.ts'

const count = (n: number | undefined): number => n ?? 0

/** Tells whether texts came into the form, and not by a password manager. */
function isFilledByHand(input: Signals['input'] = {}): boolean {
  const { keys, pastes, wholeTexts, bareTexts, autofills } = input
  return count(autofills) === 0 && count(keys) + count(pastes) + count(wholeTexts) + count(bareTexts) > 1
}

/** Rules on whether anybody looked at the page. Weak: people open tabs in the background. docs/design/risk.md#background */
export const PAGE_RULES: readonly ScoreRule[] = [
  {
    id: 20,
    name: 'page-focused',
    family: 'page',
    reason: 'behaviour',
    weight: 0.3,
    when: ({ signals }) => signals.page?.focused === 1 && signals.page.visible === 1,
    evidence:
      'docs/design/risk.md#background: background automation and farms are hidden or never focused; tabs opened in the background are people.',
  },
  {
    id: 21,
    name: 'never-visible',
    family: 'page',
    reason: 'behaviour',
    weight: -0.5,
    when: ({ signals }) => signals.page?.visible === 0,
    evidence: 'docs/design/risk.md#background: weak.',
  },
  {
    id: 22,
    name: 'filled-at-once',
    family: 'page',
    reason: 'behaviour',
    weight: -0.8,
    when: ({ signals }) =>
      signals.page?.filling !== undefined && signals.page.filling < 500 && isFilledByHand(signals.input),
    evidence:
      'A form is not read and filled in half a second by hand. Autofill and one click, or a form of one button (a vote, a download), is a person, so these are left out.',
  },
  {
    id: 23,
    name: 'focus-by-nobody',
    family: 'page',
    reason: 'behaviour',
    weight: -0.4,
    when: ({ signals }) => ((signals.page?.loneFocus ?? 0) - 3) / 4,
    evidence:
      'docs/design/risk.md#lone-focus: focus that moves without input; assistive technology moves it too: weak, and three are free.',
  },
  {
    id: 24,
    name: 'honeypot-filled',
    family: 'page',
    reason: 'behaviour',
    weight: -1.8,
    when: ({ signals }) => signals.page?.honeypot === 1,
    evidence:
      'docs/design/risk.md#honeypot: programs that fill every field of a form; its label asks people to leave it empty, and what the browser fills in is left out.',
  },
]
