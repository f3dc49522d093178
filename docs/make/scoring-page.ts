import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SCORE_FAMILIES } from '../../src/domain/weights.ts'
import { MODEL, REASONS, RULES } from '../../src/score/rules.ts'
import { linkCitations, type Parts, table, writtenCells } from './table.ts'

/** Pages of the design that are cited by file and anchor become links. */
const linked = (text: string): string => linkCitations(text, 'design')
const signed = (value: number): string => {
  if (value === 0) return '0'
  return value < 0 ? `−${-value}` : `+${value}`
}

/** The table of families; what each looks at, and who may pay for it without being a bot, is written in the page. */
function families(written: string): string {
  const rows = SCORE_FAMILIES.map((family) => {
    const [least, most] = MODEL.bounds[family]
    const [, looksAt, people] = writtenCells(written, `\`${family}\``)
    return [`\`${family}\``, `${signed(least)} to ${signed(most)}`, looksAt!, people!]
  })
  return table(['Family', 'Bounds', 'Looks at', 'People who may pay'], rows)
}

/** A visitor of the evaluation: in what it ran, and in how many of its visits each rule fired. */
interface FiredRow {
  readonly isPerson: boolean
  readonly engine: string
  readonly visits: number
  readonly fired: Readonly<Record<string, number>>
}

/** Counts over visitors, for each engine: those of people, then those of programs. */
const byEngine = (rows: readonly FiredRow[], of: (row: FiredRow) => number) =>
  ['Chromium', 'Firefox', 'WebKit', 'no browser'].map((engine) => {
    const [people, programs] = [true, false].map((isPerson) =>
      rows.reduce(
        (all, row) => (row.engine === engine && row.isPerson === isPerson ? all + of(row) : all),
        0,
      ),
    )
    return { engine, people: people!, programs: programs! }
  })

/** Says in which engines a rule fired, and for whom: `Fired: Chromium 1 + 9.` */
function firedIn(rule: string, measured: readonly FiredRow[]): string {
  const found = byEngine(measured, ({ fired }) => fired[rule] ?? 0).filter(
    (each) => each.people + each.programs > 0,
  )
  const said = found.map(({ engine, people, programs }) => `${engine} ${people} + ${programs}`)
  return `Fired: ${said.join(', ') || 'nowhere'}.`
}

/** The tables of docs/design/scoring.md, from those of the score and from what `npm run evaluate` keeps. */
export function scoringParts(root: string): Parts {
  const list = readFileSync(join(root, 'lab/results/fired-rules.json'), 'utf8')
  const { rows: measured } = JSON.parse(list) as { readonly rows: readonly FiredRow[] }
  const visits = byEngine(measured, (row) => row.visits)
  const rules = SCORE_FAMILIES.map((family) => {
    const own = RULES.filter((rule) => rule.family === family)
    const rows = own.map(({ name, weight, cap, group, reason, evidence, people }) => {
      const most = cap === undefined ? '' : `, cap ${signed(cap)}`
      return `- \`${name}\` **${signed(weight)}**${most} (${reason}${group === undefined ? '' : `, group ${group}`}): ${linked(evidence)} *People:* ${linked(people)} ${firedIn(name, measured)}`
    })
    return [`### ${family}`, '', ...rows].join('\n')
  })
  const honest = 1 / (1 + Math.exp(-MODEL.base))
  return {
    base: `Model ${MODEL.version}: the base is ${signed(MODEL.base)}, so a visit that shows nothing but honest work stands at ${honest.toFixed(2)}.`,
    families,
    visits: table(
      ['Engine', 'Visits of people', 'Visits of programs'],
      visits.map(({ engine, people, programs }) => [engine, String(people), String(programs)]),
    ),
    rules: rules.join('\n\n'),
    reasons: `\`${REASONS.join('`, `')}\`: what speaks against a visitor, the strongest first.`,
  }
}

/** The model as other programs read it: `test/vectors/score-model.json`. */
export const scoreModel = (): string => {
  const rules = RULES.map(({ id, name, family, reason, weight, cap, group }) => [
    id,
    name,
    family,
    reason,
    weight,
    cap ?? null,
    group ?? null,
  ])
  const says = 'The model of the score; rules are [id, name, family, reason, weight, cap, group].'
  return JSON.stringify({ says, ...MODEL, families: SCORE_FAMILIES, reasons: REASONS, rules })
}
