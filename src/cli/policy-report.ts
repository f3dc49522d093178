import { flipped, type FlipGroup } from './flips.ts'

/** All groups together. */
export type Sums = Omit<FlipGroup, 'sitekey' | 'action' | 'examples'>

export function sums(groups: readonly FlipGroup[]): Sums {
  const sum = (of: (group: FlipGroup) => number): number => groups.reduce((total, group) => total + of(group), 0)
  return {
    decisions: sum((group) => group.decisions),
    passed_before: sum((group) => group.passed_before),
    passes_after: sum((group) => group.passes_after),
    accepted_to_refused: sum((group) => group.accepted_to_refused),
    refused_to_accepted: sum((group) => group.refused_to_accepted),
    step_ups_after: sum((group) => group.step_ups_after),
    undecided: sum((group) => group.undecided),
  }
}

/** For people: a row for each site and action, with the flips to look at below it. */
export function policyReport(groups: readonly FlipGroup[], skipped: Readonly<Record<string, number>>): string {
  if (groups.length === 0) return 'the log holds no decision of these sites'
  const all = sums(groups)
  const heads = ['SITEKEY', 'ACTION', 'DECISIONS', 'PASSED', 'WOULD PASS', 'ACCEPTED → REFUSED', 'REFUSED → ACCEPTED']
  const cells = groups.map((group) => [
    group.sitekey,
    group.action,
    ...[group.decisions, group.passed_before, group.passes_after].map(String),
    ...[group.accepted_to_refused, group.refused_to_accepted].map((count) => share(count, group.decisions)),
  ])
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')
  const rows = groups.flatMap((group, at) => [
    line(cells[at]!),
    ...group.examples.map(({ jti, now, from, to, rule }) => {
      const why = rule === undefined ? '' : `  rule ${rule}`
      return `    ${jti ?? '(no id)'}  now ${now}: ${from} → ${to}${why}`
    }),
  ])
  const notes = Object.entries({ ...skipped, step_ups_after: all.step_ups_after, undecided: all.undecided }).filter(
    ([, count]) => count > 0,
  )
  return [
    line(heads),
    ...rows,
    '',
    `${groups.reduce((total, group) => total + flipped(group), 0)} of ${all.decisions} decisions would change`,
    ...notes.map(([name, count]) => `  ${count} ${NOTES[name as keyof typeof NOTES]}`),
  ].join('\n')
}

const NOTES = {
  no_decision: 'lines without a decision: passed over',
  unreadable: 'lines that cannot be read: passed over',
  other_sites: 'decisions of sites that are not compared: skipped',
  other_model: 'decisions of another model: computed again by the names of its rules',
  step_ups_after: 'of the refused would get a second try',
  undecided: 'decisions with too little in the log to tell whether a rule was met: counted as not met',
}

const share = (count: number, of: number): string =>
  count === 0 ? '0' : `${count} (${((100 * count) / of).toFixed(1)} %)`
