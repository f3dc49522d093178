import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTheirPlace, readList, writeList } from '../../stand/lists.mjs'
import { evaluationPage } from './page.mjs'
import { evaluationRow } from './rows.mjs'
import { firedRow } from './rules.mjs'

const ORDER = ['person', 'bot', 'inseparable']
/** People first, bots that nobody can tell apart last. */
export const byKind = ({ kind }) => ORDER.indexOf(kind)

/**
 * Puts the visitors of a result in the place of their earlier rows: in the lists of lab/results/, and on the page of the
 * evaluation. `npm run docs` writes from the second list which rules fired in which engine.
 *
 * @param {string} root the repository
 * @param {{ machine: string, browsers: { chromium: string, firefox: string }, visitors: any[], commit: string, date: string, hands: string, errors: number }} result
 */
export function keep(root, { machine, browsers, visitors, ...facts }) {
  const files = ['evaluation', 'fired-rules'].map((name) => join(root, `lab/results/${name}.json`))
  const [earlier, fired] = files.map(readList)
  const rows = visitors.map((visitor) => evaluationRow(visitor, facts))
  const list = { machine, browsers, rows: inTheirPlace(earlier.rows ?? [], rows, byKind) }
  const seen = visitors.flatMap((visitor) => firedRow(visitor, facts) ?? [])
  writeList(files[0], list)
  writeList(files[1], { rows: inTheirPlace(fired.rows ?? [], seen, ({ isPerson }) => (isPerson ? 0 : 1)) })
  writeFileSync(join(root, 'docs/design/evaluation.md'), evaluationPage(list))
}
