import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from './table.ts'

/** What lab/compare/compare.mjs writes; the cells of a row are of the contenders, ours first. */
interface Comparison {
  readonly date: string
  readonly contenders: readonly { readonly name: string }[]
  readonly rows: readonly {
    readonly name: string
    readonly standing: 'loses' | 'alike' | 'wins'
    readonly cells: readonly ({ readonly text: string } | null)[]
  }[]
}

/** The rows that README quotes, as the comparison names them, and as README does. */
export const QUOTED: Readonly<Record<string, string>> = {
  'people who pass': 'People who pass',
  'programs that pass: drivers that hide': 'Drivers that hide, and pass',
  'people who wait more than 2 s, slow browser, form filled in for 5 s':
    'People who wait more than 2 s, browser at a quarter of its speed',
  'tokens accepted twice: after Redis was restored from an older copy':
    'Tokens accepted twice after Redis was restored from an older copy',
  'people refused whose token was out: Redis emptied':
    'People refused because Redis was emptied while their token was out',
}

/**
 * Writes what README says of the comparison: five of its rows, and how many this service loses. Without a result it says that there is none.
 *
 * @throws {Error} for a result that lacks one of the rows
 */
export function comparisonLines(root: string): string {
  const file = join(root, 'lab/results/compare.json')
  if (!existsSync(file))
    return 'No comparison with others has been published: `npm run compare` makes one.'
  const { date, contenders, rows } = JSON.parse(readFileSync(file, 'utf8')) as Comparison
  const quoted = Object.entries(QUOTED).map(([name, says]) => {
    const found = rows.find((row) => row.name === name)
    if (!found) throw new Error(`lab/results/compare.json has no row "${name}"`)
    return [says, ...found.cells.map((cell) => cell?.text ?? '–')]
  })
  const lost = rows.filter(({ standing }) => standing === 'loses').length
  return [
    table([`On ${date}`, ...contenders.map(({ name }) => name)], quoted),
    '',
    `\`npm run compare\` asks for ${rows.length} such rows; this service loses ${lost} of them, which stand first in [compare.md](lab/results/compare.md).`,
  ].join('\n')
}
