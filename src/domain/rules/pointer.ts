import { isFirefox, systemOf } from '../agents.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Presses of a mouse; those of a finger or a pen are not judged by their way. */
const mousePresses = ({ signals: { input } }: VisitFacts): number => count(input?.presses) - count(input?.touches)

/**
 * Whether moves come no faster than a screen of 60 Hz draws: then a device of 125 Hz or more has to bring two at once. On
 * a faster screen, or from a device that reports at the pace of the screen, each may come alone.
 */
const isSlowScreen = ({ signals: { input } }: VisitFacts): boolean => count(input?.moveGap) >= 14

/** Elsewhere we have measured nothing, and some systems bundle moves themselves: there it is a light sign. */
const onThisSystem = (strength: number, { request }: VisitFacts): number =>
  systemOf(request.userAgent) === 'Linux' ? 1 : strength

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
    when: ({ signals }) => count(signals.input?.coalesced) / 5,
    evidence: 'RISK.md 1: 67 to 91 % of real moves are coalesced; no scripted path has any.',
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
    weight: -1.2,
    when: (facts) =>
      isMouse(facts) &&
      count(facts.signals.input?.moves) >= 40 &&
      count(facts.signals.input?.coalesced) === 0 &&
      (facts.signals.input?.moveGap === undefined || isSlowScreen(facts)) &&
      onThisSystem(0.7, facts),
    evidence: 'RISK.md 1: no coalesced event in 40 or more moves; touch, Firefox and fast screens differ.',
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
      facts.signals.input?.rawRatio === 100 &&
      onThisSystem(0.6, facts),
    evidence: 'RISK.md 1: raw updates to moves exactly 1; people 1.7 to 2.0 on a 60 Hz screen.',
  },
  {
    id: 81,
    name: 'presses-without-way',
    family: 'input',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => (count(signals.input?.jumps) - 1) / 2,
    evidence:
      'RISK.md 1: fewer than 3 moves before a press; voice control and remote desktops jump too, so one jump is free and it never fails alone.',
  },
  {
    id: 82,
    name: 'presses-in-the-middle',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    when: (facts) => {
      const centred = count(facts.signals.input?.centred)
      return centred >= 2 && centred / Math.max(1, mousePresses(facts)) > 0.5 && centred / 3
    },
    evidence: 'RISK.md 1: within 1 % of the dead centre; voice control presses there as well, so it never fails alone.',
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
      'Of 1,699 reaches of 40 people none (traces/mouse, 2026-11-21); paths that a program draws have no curve.',
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
    evidence: 'Of the same 1,699 none: a hand starts, hurries and slows down; steps of one length are a program.',
  },
  {
    id: 85,
    name: 'presses-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    when: (facts) => {
      const { pressHold } = facts.signals.input ?? {}
      return pressHold !== undefined && pressHold < 25 && mousePresses(facts) >= 2
    },
    evidence:
      'traces/README.md: people hold 55 to 111 ms (10th to 90th centile); eye trackers and voice control do not.',
  },
]
