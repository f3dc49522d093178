import { MODEL, REASONS, RULES, SCORE_FAMILIES } from '../../src/score/rules.ts'
import { type FiredRow, firedIn, visitsByEngine } from './fired-rules.ts'
import { linkCitations, type Parts, table, writtenCells } from './table.ts'

/** Pages of the design that are cited by file and anchor become links. */
const linked = (text: string): string => linkCitations(text, 'design')
const signed = (value: number): string => (value === 0 ? '0' : value < 0 ? `−${-value}` : `+${value}`)

/** The table of families; what each looks at, and who may pay for it without being a bot, is written in the page. */
function families(written: string): string {
  const rows = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [, looksAt, people] = writtenCells(written, `\`${family}\``)
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt!, people!]
  })
  return table(['Family', 'Bounds', 'Looks at', 'People who may pay'], rows)
}

/**
 * The tables of docs/design/scoring.md, from those of the score.
 *
 * @param measured the rows of lab/results/fired-rules.json
 */
export function scoringParts(measured: readonly FiredRow[]): Parts {
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
    families,
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
