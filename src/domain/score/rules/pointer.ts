import { isFirefox, isWebkit, systemOf } from '../agents.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'
import { fittingInput } from './seen.ts'

const count = (n: number | undefined): number => n ?? 0

/** Presses of a mouse; those of a finger or a pen are not judged by their way. */
const mousePresses = ({ signals: { input } }: VisitFacts): number => count(input?.presses) - count(input?.touches)

/**
 * WebKitGTK tells its page of a finger's tap as of a mouse that jumps, and is pressed and let go at one time; a robot's button
 * is down for some milliseconds there, too. No other engine may use it: it would say so.
 */
const isTapped = ({ signals: { input, environment }, request }: VisitFacts): boolean =>
  input?.pressHold === 0 &&
  isWebkit(request.userAgent) &&
  systemOf(request.userAgent) === 'Linux' &&
  environment?.engine !== 1 &&
  environment?.engine !== 2

/**
 * Tells whether moves come no faster than a screen of 60 Hz draws: then a device of 125 Hz or more has to bring two at once.
 * On a faster screen, or from a device that reports at the pace of the screen, each may come alone.
 */
const isSlowScreen = ({ signals: { input } }: VisitFacts): boolean => count(input?.moveGap) >= 14

/** Elsewhere we have measured nothing, and some systems bundle moves themselves: there it is a light sign. */
const onThisSystem = (strength: number, { request }: VisitFacts): number =>
  systemOf(request.userAgent) === 'Linux' ? 1 : strength

/** Share of the moves that carried others: 0 to 1. */
const coalescedShare = ({ signals: { input } }: VisitFacts): number =>
  count(input?.coalesced) / Math.max(1, count(input?.moves))

const isMouse = (facts: VisitFacts): boolean =>
  count(facts.signals.input?.touches) === 0 && !isFirefox(facts.request.userAgent)

/** How the pointer was moved and pressed. Only what the engine itself gives away weighs enough to fail anybody alone. */
export const POINTER_RULES: readonly ScoreRule[] = [
  {
    id: 12,
    name: 'coalesced-moves',
    family: 'input',
    reason: 'behaviour',
    weight: 0.5,
    // A busy machine brings two of a debugger's moves at once now and then: one of 353 was seen.
    when: (facts) => coalescedShare(facts) >= 0.1 && fittingInput(facts).coalesced / 5,
    evidence: 'docs/design/risk.md#coalesced: 67 to 91 % of real moves are coalesced; a scripted path has hardly any.',
  },
  {
    id: 14,
    name: 'flat-presses',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.flatPresses) > 0,
    evidence:
      'docs/design/risk.md#flat-press: strongest single input signal for headed drivers; keyboard clicks and assistive technology name no device.',
  },
  {
    id: 15,
    name: 'no-move-coalesced',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    when: (facts) =>
      isMouse(facts) &&
      count(facts.signals.input?.moves) >= 40 &&
      (facts.signals.input?.moveGap === undefined || isSlowScreen(facts)) &&
      (1 - coalescedShare(facts) / 0.08) * onThisSystem(0.7, facts),
    evidence:
      'docs/design/risk.md#coalesced: no coalesced event in 40 or more moves, or hardly one: a busy machine bundles one in hundreds. Touch, Firefox and fast screens differ.',
  },
  {
    id: 80,
    name: 'moves-one-by-one',
    family: 'input',
    reason: 'automation',
    weight: -0.6,
    when: (facts) =>
      isMouse(facts) &&
      isSlowScreen(facts) &&
      count(facts.signals.input?.moves) >= 40 &&
      facts.signals.input?.rawRatio !== undefined &&
      ((108 - Math.max(100, facts.signals.input.rawRatio)) / 8) * onThisSystem(0.6, facts),
    evidence:
      'docs/design/risk.md#coalesced: raw updates to moves 1, or hardly more; people 1.4 to 2.0 on a 60 Hz screen.',
  },
  {
    id: 95,
    name: 'moves-within-a-frame',
    family: 'input',
    reason: 'automation',
    weight: -2.6,
    when: (facts) => {
      const { moves, sameFrame } = facts.signals.input ?? {}
      if (!isMouse(facts) || count(moves) < 40) return false
      return Math.min(1, (count(sameFrame) / count(moves) - 0.03) / 0.05) * onThisSystem(0.7, facts)
    },
    evidence:
      'Chromium 156, 2026-11-21: 0 to 1 of 100 moves of people (mice of 125 to 1,000 Hz, X11 and Wayland); 8 to 21 of 100 of a DevTools driver that does not wait for answers, whose moves are bundled like a device’s, and whose time stamps may be forged.',
  },
  {
    id: 81,
    name: 'presses-without-way',
    family: 'input',
    reason: 'automation',
    weight: -1,
    isAssistive: true,
    when: (facts) => !isTapped(facts) && (count(facts.signals.input?.jumps) - 1) / 2,
    evidence:
      'docs/design/risk.md#jumps: fewer than 3 moves before a press, or than 6 where 100 pixels lie between: a hand takes 150 ms for them; voice control and remote desktops jump too, so one jump is free and it never fails alone. Taps in WebKitGTK, which come as a mouse, are left out (docs/design/risk.md#webkit).',
  },
  {
    id: 82,
    name: 'presses-in-the-middle',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    isAssistive: true,
    when: (facts) => {
      const centred = count(facts.signals.input?.centred)
      return centred >= 2 && centred / Math.max(1, mousePresses(facts)) > 0.5 && centred / 3
    },
    evidence:
      'docs/design/risk.md#dead-centre: within 1 % of the dead centre; voice control presses there as well, so it never fails alone.',
  },
  {
    id: 83,
    name: 'straight-reaches',
    family: 'input',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => {
      const { straight, reaches } = signals.input ?? {}
      return count(straight) >= 2 && count(straight) / Math.max(1, count(reaches)) > 0.6
    },
    evidence:
      'Fires for none of 1,869 reaches of 40 people, carried to a form (docs/design/risk.md#recorded-hands, 2026-11-21); a program’s line has no curve.',
  },
  {
    id: 84,
    name: 'even-reaches',
    family: 'input',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => {
      const { even, reaches } = signals.input ?? {}
      return count(even) >= 2 && count(even) / Math.max(1, count(reaches)) > 0.6
    },
    evidence:
      'In 100 visits with the same 1,869 reaches nobody had most of them so: a hand starts, hurries and slows down. Lines and curves at one speed, with noise of some pixels or without.',
  },
  {
    id: 93,
    name: 'balanced-reaches',
    family: 'input',
    reason: 'automation',
    weight: -2,
    // A person's reach is balanced by chance now and then, but not most of those of a visit.
    when: ({ signals }) => {
      const [balanced, reaches] = [count(signals.input?.balanced), count(signals.input?.reaches)]
      if (balanced < 2) return false
      return (balanced / reaches - 0.5) / (reaches > 2 ? 0.3 : 0.8)
    },
    evidence:
      'Among 1,098 rows of five recorded reaches (40 people, docs/design/risk.md#recorded-hands, 2026-11-21) none fires it, of 476 carried to a form 7, none in full; of programs that draw lines and Bézier curves, at one speed or eased, with noise and jitter or without, 96 to 100 in 100 do in full. A hand hurries first and settles long.',
  },
  {
    id: 85,
    name: 'presses-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    isAssistive: true,
    when: (facts) => {
      const { pressHold, pressHoldSpread } = facts.signals.input ?? {}
      if (pressHold === undefined || isTapped(facts)) return false
      const areAlike = pressHoldSpread !== undefined && pressHoldSpread <= 10 && mousePresses(facts) >= 4
      return pressHold < (areAlike ? 45 : 25) && mousePresses(facts) >= 2
    },
    evidence:
      'docs/design/risk.md#recorded-hands: people hold 55 to 111 ms (10th to 90th centile), and of 480 visits none held four presses less than 45 ms and all alike; eye trackers and voice control press shortly, too. Taps in WebKitGTK are left out (docs/design/risk.md#webkit).',
  },
]
