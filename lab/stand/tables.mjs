/** The one in the middle, or between the two; undefined of none. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.length > 0
    ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
    : undefined
}

/** How often each of some texts comes. */
export function tally(texts) {
  const counts = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

export const two = (n) => (n === undefined ? '–' : n.toFixed(2))

export const markdownTable = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** For a terminal: columns under each other. */
export function textTable(head, rows, isRed = () => false) {
  const lines = [head, ...rows]
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  const texts = lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i])).join('  '))
  return texts
    .map((text, i) =>
      i > 0 && isRed(i - 1) ? `\u001B[31m${text.trimEnd()}\u001B[0m` : text.trimEnd(),
    )
    .join('\n')
}
