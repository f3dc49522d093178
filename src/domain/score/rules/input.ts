import { isChromium, isPhone, systemOf } from '../agents.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'
import { fittingInput } from './seen.ts'

const count = (n: number | undefined): number => n ?? 0

/**
 * How surely a Chromium's window is one of X11, whatever its agent string says: 0 to 1. On Wayland no window knows where
 * it is, and input is stamped otherwise.
 */
function isOnX11({ signals: { environment = {} }, request: { userAgent } }: VisitFacts): number {
  if (!isChromium(userAgent)) return 0
  const claims = systemOf(userAgent)
  const isLinux = (claims === 'Linux' && !isPhone(userAgent)) || environment.linuxEngine === 1
  if (!isLinux || claims === 'Chrome OS') return 0
  // A cached script of ours that does not tell it yet.
  if (environment.placed === undefined) return 0.4
  if (environment.placed === 1) return 1
  // No person on Wayland has a window without bars that says it is another system's.
  return claims === 'Linux' ? 0 : 0.6
}

/** Rules on whether anybody is there, by any means: mouse, keys, touch, assistive technology. docs/design/risk.md, "Pointer", "Keys and text". */
export const INPUT_RULES: readonly ScoreRule[] = [
  {
    id: 10,
    name: 'trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ signals }) => count(signals.input?.trusted) > 0,
    evidence:
      'docs/design/risk.md#untrusted-events: DOM simulators have none. Keyboard, pointer, touch and assistive technology all have some.',
  },
  {
    id: 11,
    name: 'much-trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 0.4,
    when: (facts) => fittingInput(facts).trusted / 10,
    evidence: 'docs/design/risk.md#the-score: a person who merely tabs through a form passes.',
  },
  {
    id: 13,
    name: 'untrusted-input-only',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.untrusted) > 0 && count(signals.input?.trusted) === 0,
    evidence: 'docs/design/risk.md#untrusted-events: DOM simulators.',
  },
  {
    id: 92,
    name: 'scattered-times',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: (facts) => {
      const { timed, samePhase } = facts.signals.input ?? {}
      return count(timed) >= 12 && samePhase !== undefined && Math.min(1, (90 - samePhase) / 30) * isOnX11(facts)
    },
    evidence:
      'docs/design/risk.md#event-times: device events share no phase. X11 stamps whole milliseconds: 100 % of all people’s events there, 22 to 29 % of a debugger’s. Chromium on Wayland and other systems stamps otherwise, and is left out; who shows Chromium on another machine’s X server pays.',
  },
]
