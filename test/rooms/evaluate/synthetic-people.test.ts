/** Synthetic people have the figures of docs/design/risk.md, which has those of recorded people beside them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const page = readFileSync(new URL('../../../docs/design/risk.md', import.meta.url), 'utf8')
const [, table = ''] = /\| Figure \| Recorded[^]*?---\|\n([^]*?)\n\n/.exec(page)!
// In a process of its own: thousands of movements are drawn ten times as fast as inside of Jest.
const program = `import { figures } from '${new URL('figures.mjs', import.meta.url).href}'; console.log(JSON.stringify(figures()))`
const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
const measured = JSON.parse(printed) as number[][]
const short = (n: number): number => Number(n.toFixed(n >= 10 || Number.isInteger(n) ? 0 : 2))

const rows = table
  .split('\n')
  .map((row) => row.split(/ *\| */).slice(1) as [figure: string, recorded: string, is: string])
test.each(rows.map(([figure, , is], i) => ({ figure, is, now: measured[i]! })))('$figure: $is', ({ is, now }) => {
  // Other releases of Node.js may round a sine otherwise, and then draw another path.
  for (const [centile, told] of is.split(' / ').map(Number).entries())
    expect(Math.abs(told - short(now[centile]!))).toBeLessThanOrEqual(Math.max(0.02, 0.02 * told))
})
test('all figures are on the page', () => expect(rows).toHaveLength(measured.length))
