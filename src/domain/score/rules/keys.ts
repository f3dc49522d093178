import { isPhone } from '../agents.ts'
import type { ScoreRule, VisitFacts } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Keys of a keyboard that is one: soft keyboards press and release as they please. */
const typed = ({ signals: { input }, request }: VisitFacts): number =>
  isPhone(request.userAgent) || count(input?.touches) > 0 ? 0 : count(input?.timedKeys ?? input?.keys)

/**
 * Tells whether keys go up at once and follow each other faster than any hand: a program types, and does not hide it. The
 * auto-type of password managers does so, often for people who use nothing but the keyboard.
 */
function isAutoTyped({ signals: { input } }: VisitFacts): boolean {
  const { keyHold, keyGap } = input ?? {}
  return keyHold !== undefined && keyHold < 25 && keyGap !== undefined && keyGap < 50
}

/**
 * Share of a row that counts for auto-type. All five rows say the same of it; together they weigh 4.3, and who merely
 * types has 1.5 in all, so 0.2 remain, a score of 0.55.
 */
const OF_AUTO_TYPE = 0.3

const lessIfAutoTyped =
  (strength: (facts: VisitFacts) => number | boolean) =>
  (facts: VisitFacts): number => {
    const full = Math.min(1, Math.max(0, Number(strength(facts))))
    return isAutoTyped(facts) ? OF_AUTO_TYPE * full : full
  }

/**
 * How keys were pressed. Auto-type of password managers, text expanders and dictation type like scripts: no row fails a
 * person alone who shows anything else.
 */
export const KEY_RULES: readonly ScoreRule[] = [
  {
    id: 16,
    name: 'keys-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    when: lessIfAutoTyped((facts) => {
      const { keyHold } = facts.signals.input ?? {}
      return typed(facts) >= 8 && keyHold !== undefined && keyHold < 35 && (45 - keyHold) / 20
    }),
    evidence:
      'docs/design/risk.md#scripted-typing: scripted typing; people hold a key 58 to 152 ms, none of 30 under 40 (docs/design/risk.md#recorded-hands).',
  },
  {
    id: 86,
    name: 'keys-very-close',
    family: 'input',
    reason: 'automation',
    weight: -0.8,
    when: lessIfAutoTyped((facts) => {
      const { keyGap } = facts.signals.input ?? {}
      return typed(facts) >= 12 && keyGap !== undefined && keyGap < 50
    }),
    evidence:
      'docs/design/risk.md#scripted-typing: closer than 45 ms; people 82 to 456 ms (docs/design/risk.md#recorded-hands).',
  },
  {
    id: 87,
    name: 'even-typing',
    family: 'input',
    reason: 'automation',
    weight: -1,
    when: lessIfAutoTyped((facts) => {
      const { keyGap, keyGapSpread, keyHold, keyHoldSpread } = facts.signals.input ?? {}
      if (typed(facts) < 16 || keyGap === undefined || keyGapSpread === undefined) return false
      // To 5 ms: what is even may look uneven by one step.
      const isEvenGap = keyGapSpread <= Math.max(10, keyGap * 0.2)
      const isEvenHold = keyHoldSpread !== undefined && keyHoldSpread <= Math.max(5, count(keyHold) * 0.1)
      return (Number(isEvenGap) + Number(isEvenHold)) / 2
    }),
    evidence:
      'docs/design/risk.md#scripted-typing: quartiles within 25 % of the median; of 30 people none (docs/design/risk.md#recorded-hands, 2026-11-21).',
  },
  {
    id: 88,
    name: 'keys-never-overlap',
    family: 'input',
    reason: 'automation',
    weight: -0.4,
    when: lessIfAutoTyped(
      (facts) => typed(facts) >= 50 && facts.signals.input?.timedKeys !== undefined && !facts.signals.input.overlaps,
    ),
    evidence:
      'docs/design/risk.md#scripted-typing: no overlap in 50 keys. Among 30 people one has none (docs/design/risk.md#recorded-hands): who types with one finger has none either: weak.',
  },
  {
    id: 94,
    name: 'typing-without-pauses',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    // Even or drawn from a range, the pauses of a program end where the range ends, and the keys wait for each other.
    when: lessIfAutoTyped((facts) => {
      const { keyGap, keyGapLong, overlaps } = facts.signals.input ?? {}
      if (typed(facts) < 30 || !keyGap || keyGapLong === undefined || overlaps) return false
      return (1.9 - keyGapLong / keyGap) / 0.3
    }),
    evidence:
      'No key before the last one is up, and nine pauses in ten under 1.7 times the middle one: 12 of 1,000 visits of 30 people (2 of them), 5 of 1,000 of their sentences (docs/design/risk.md#recorded-hands, 2026-11-21); of programs with even and uniformly random pauses 96 in 100.',
  },
  {
    id: 89,
    name: 'capitals-without-shift',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    when: (facts) => typed(facts) > 0 && count(facts.signals.input?.bareCapitals) / 2,
    evidence:
      'docs/design/risk.md#scripted-typing: scripted typing names the letter, and forgets the key that makes it a capital.',
  },
  {
    id: 90,
    name: 'whole-texts',
    family: 'input',
    reason: 'automation',
    weight: -0.8,
    isAssistive: true,
    when: ({ signals: { input }, request }) =>
      !isPhone(request.userAgent) && (count(input?.wholeTexts) + count(input?.bareTexts) / 8) / 2,
    evidence:
      'docs/design/risk.md#bare-text: a field by one `insertText`, or letter by letter with no key; dictation inserts phrases too, so it never fails alone.',
  },
  {
    id: 91,
    name: 'keys-without-focus',
    family: 'input',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => count(signals.input?.unfocused) / 5,
    evidence: 'docs/design/risk.md#unfocused: driven Firefox; a system gives keys to the window that has the focus.',
  },
]
