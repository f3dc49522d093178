import { isFirefox, isPhone, systemOf } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Whether anybody is there, by any means: mouse, keys, touch, assistive technology. RISK.md, sections 1 and 3. */
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
    id: 13,
    name: 'untrusted-input-only',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.untrusted) > 0 && count(signals.input?.trusted) === 0,
    evidence: 'RISK.md 1: DOM simulators.',
  },
  {
    id: 92,
    name: 'scattered-times',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    when: ({ signals: { input }, request }) =>
      systemOf(request.userAgent) === 'Linux' &&
      !isPhone(request.userAgent) &&
      !isFirefox(request.userAgent) &&
      count(input?.timed) >= 12 &&
      input?.samePhase !== undefined &&
      input.samePhase < 60,
    evidence:
      'RISK.md 1: less than 60 % of device events share a phase. X11 and Wayland stamp whole milliseconds; other systems do not, and are left out.',
  },
]
