const KINDS = { person: 'person', bot: 'bot, separable', inseparable: 'bot, inseparable' }
const HEAD = ['Visitor', 'Class', 'Visits', 'Tokens', 'Score', 'Range', 'Passed', 'Seconds', '']

const two = (n) => (n === undefined ? '–' : n.toFixed(2))

/**
 * The cells of each row, as text.
 *
 * @param {readonly ReturnType<import('./statistics.mjs').summarise>[]} rows
 */
export const cells = (rows) =>
  rows.map((row) => [
    row.name,
    KINDS[row.kind],
    String(row.runs),
    String(row.tokens),
    two(row.median),
    row.least === undefined ? '–' : `${two(row.least)}–${two(row.most)}`,
    `${row.passed} of ${row.forms || row.runs}`,
    row.seconds?.toFixed(1) ?? '–',
    row.failure ?? '',
  ])

/** For a terminal: columns under each other; red where something does not hold. */
export function textTable(rows, colour = false) {
  const lines = [HEAD, ...cells(rows)]
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  return lines
    .map((line, i) => {
      const text = line
        .map((cell, j) => cell.padEnd(widths[j]))
        .join('  ')
        .trimEnd()
      return colour && i > 0 && rows[i - 1].failure ? `\u001B[31m${text}\u001B[0m` : text
    })
    .join('\n')
}

/** The same in Markdown. */
export function markdownTable(rows) {
  const line = (parts) => `| ${parts.join(' | ')} |`
  return [line(HEAD), line(HEAD.map(() => '---')), ...cells(rows).map(line)].join('\n')
}
