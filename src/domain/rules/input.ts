import { isFirefox } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** How the page is used: by a hand, by assistive technology, or by nobody. RISK.md, sections 1 and 3. */
export const INPUT_RULES: readonly ScoreRule[] = [
  {
    id: 10,
    name: 'trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ signals }) => count(signals.input?.trusted) > 0,
    evidence: 'RISK.md 1: DOM simulators have none. Keyboard, pointer, touch and assistive technology all have some.',
  },
  {
    id: 11,
    name: 'much-trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 0.4,
    when: ({ signals }) => count(signals.input?.trusted) / 10,
    evidence: 'RISK.md 4: a person who merely tabs through a form passes.',
  },
  {
    id: 12,
    name: 'coalesced-moves',
    family: 'input',
    reason: 'behaviour',
    weight: 0.5,
    when: ({ signals }) => count(signals.input?.coalesced) / 5,
    evidence: 'RISK.md 1: 67 to 91 % of real moves are coalesced; no scripted path has any.',
  },
  {
    id: 13,
    name: 'untrusted-input-only',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.untrusted) > 0 && count(signals.input?.trusted) === 0,
    evidence: 'RISK.md 1: DOM simulators.',
  },
  {
    id: 14,
    name: 'flat-presses',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.flatPresses) > 0,
    evidence:
      'RISK.md 1: strongest single input signal for headed drivers; keyboard clicks and assistive technology name no device.',
  },
  {
    id: 15,
    name: 'no-move-coalesced',
    family: 'input',
    reason: 'automation',
    weight: -1.5,
    when: ({ signals, request }) =>
      count(signals.input?.moves) >= 40 &&
      count(signals.input?.coalesced) === 0 &&
      count(signals.input?.touches) === 0 &&
      !isFirefox(request.userAgent),
    evidence: 'RISK.md 1: no coalesced event in 40 or more moves; touch and Firefox differ.',
  },
  {
    id: 16,
    name: 'keys-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) =>
      count(signals.input?.keys) >= 5 && signals.input?.keyHold !== undefined && signals.input.keyHold < 20,
    evidence: 'RISK.md 1: scripted typing; people hold a key 58 to 152 ms (traces/README.md).',
  },
]
