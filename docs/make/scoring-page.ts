import { type Family, MODEL, REASONS, RULES, SCORE_FAMILIES } from '../../src/score/rules.ts'
import { type FiredRow, firedIn, visitsByEngine } from './fired-rules.ts'
import { linkCitations, table } from './table.ts'

/** Pages of the design that are cited by file and anchor become links. */
const linked = (text: string): string => linkCitations(text, 'design')
const signed = (value: number): string => (value === 0 ? '0' : value < 0 ? `−${-value}` : `+${value}`)

/** What each family looks at, and who may pay for it without being a bot. */
const FAMILY_SAYS: Readonly<Record<Family, readonly [looksAt: string, people: string]>> = {
  work: [
    'whether the work was done, and wholly',
    'slow devices that hand in a part lose a little; browsers without a JIT have a cap',
  ],
  automation: ['what drivers and debuggers leave in a page', 'people with developer tools open: that weighs lightly'],
  input: [
    'how the form was filled: counts, rhythms and rounded times of events, never what was typed',
    'assistive technology, autofill, paste, touch and keyboard-only use cost nothing',
  ],
  page: ['focus and visibility', 'nobody: it only adds'],
  request: [
    'the headers of the request',
    'people whose network changes between challenge and solution: that fails nobody alone',
  ],
  step: ['the button of a second try', 'nobody'],
  history: [
    'how often exactly the same behaviour came lately ([work.md](work.md#history))',
    'nobody: only visits that show much are compared',
  ],
}

/**
 * The tables of docs/design/scoring.md, from those of the score.
 *
 * @param measured the rows of lab/results/fired-rules.json
 */
export function scoringParts(measured: readonly FiredRow[]): Readonly<Record<string, string>> {
  const families = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [looksAt, people] = FAMILY_SAYS[family]
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt, people]
  })
  const rules = SCORE_FAMILIES.map((family) => {
    const own = RULES.filter((rule) => rule.family === family)
    const rows = own.map(({ name, weight, cap, reason, evidence, people }) => {
      const most = cap === undefined ? '' : `, cap ${signed(cap)}`
      return `- \`${name}\` **${signed(weight)}**${most} (${reason}): ${linked(evidence)} *People:* ${linked(people)} ${firedIn(name, measured)}`
    })
    return [`### ${family}`, '', ...rows].join('\n')
  })
  const honest = 1 / (1 + Math.exp(-MODEL.base))
  return {
    base: `Model ${MODEL.version}: the base is ${signed(MODEL.base)}, so a visit that shows nothing but honest work stands at ${honest.toFixed(2)}.`,
    families: table(['Family', 'Bounds', 'Looks at', 'People who may pay'], families),
    visits: table(['Engine', 'Visits of people', 'Visits of programs'], visitsByEngine(measured)),
    rules: rules.join('\n\n'),
    reasons: `\`${REASONS.join('`, `')}\`: what speaks against a visitor, the strongest first.`,
  }
}

/** The model as other programs read it: `test/vectors/score-model.json`. */
export const scoreModel = (): string => {
  const rules = RULES.map(({ id, name, family, reason, weight, cap }) => [
    id,
    name,
    family,
    reason,
    weight,
    cap ?? null,
  ])
  const says = 'The model of the score; rules are [id, name, family, reason, weight, cap].'
  return JSON.stringify({ says, ...MODEL, families: SCORE_FAMILIES, reasons: REASONS, rules })
}
