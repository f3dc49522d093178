import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A visitor of the evaluation: in what it ran, and in how many of its visits each rule fired. */
export interface FiredRow {
  readonly name: string
  readonly isPerson: boolean
  readonly engine: string
  readonly visits: number
  readonly fired: Readonly<Record<string, number>>
}

const ENGINES = ['Chromium', 'Firefox', 'WebKit', 'no browser']

/** The list that `npm run evaluate` keeps. @param root the repository */
export function firedRules(root: string): readonly FiredRow[] {
  const list = JSON.parse(readFileSync(join(root, 'lab/results/fired-rules.json'), 'utf8')) as {
    readonly rows: readonly FiredRow[]
  }
  return list.rows
}

/** Counts over visitors: those of people, then those of programs. */
function counted(
  rows: readonly FiredRow[],
  of: (row: FiredRow) => number,
): readonly [people: number, programs: number] {
  const sum = (isPerson: boolean): number =>
    rows.filter((row) => row.isPerson === isPerson).reduce((all, row) => all + of(row), 0)
  return [sum(true), sum(false)]
}

const byEngine = (rows: readonly FiredRow[]): readonly (readonly [engine: string, rows: readonly FiredRow[]])[] =>
  ENGINES.map((engine) => [engine, rows.filter((row) => row.engine === engine)])

/** Rows of a table: engine, visits of people, visits of programs. */
export const visitsByEngine = (rows: readonly FiredRow[]): string[][] =>
  byEngine(rows).map(([engine, own]) => {
    const [people, programs] = counted(own, ({ visits }) => visits)
    return [engine, String(people), String(programs)]
  })

/** Says in which engines a rule fired, and for whom: `Fired: Chromium 1 + 9.` */
export function firedIn(rule: string, rows: readonly FiredRow[]): string {
  const said = byEngine(rows).flatMap(([engine, own]) => {
    const [people, programs] = counted(own, ({ fired }) => fired[rule] ?? 0)
    return people + programs === 0 ? [] : [`${engine} ${people} + ${programs}`]
  })
  return said.length === 0 ? 'Fired: nowhere.' : `Fired: ${said.join(', ')}.`
}
