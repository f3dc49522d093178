import { byId, make, writeTable } from './page.ts'
import { count } from './texts.ts'

export interface Bars {
  /** The parts of a bar from its bottom to its top: a name, and a custom property of the style sheet. */
  readonly series: readonly { readonly name: string; readonly colour: string }[]
  readonly columns: readonly Column[]
  /** What a column is: `Minute`. */
  readonly head: string
  /** What the chart shows, for those who do not see it. */
  readonly says: string
  /** The position of a line, as a share of the width. */
  readonly mark?: number | undefined
}

export interface Column {
  /** Shown below every fourth part of the chart, and in the table. */
  readonly label: string
  /** One count for each series. */
  readonly counts: readonly number[]
}

const SVG = 'http://www.w3.org/2000/svg'

/** Draws stacked bars into `NAME-chart`, and writes their numbers into the table `NAME-table`, the last column first. */
export function drawBars(name: string, { series, columns, head, says, mark }: Bars): void {
  const highest = Math.max(1, ...columns.map(({ counts }) => sum(counts)))
  const svg = element('svg', {
    viewBox: `0 0 ${columns.length} 100`,
    preserveAspectRatio: 'none',
    role: 'img',
  })
  svg.setAttribute('aria-label', `${says} The table below has the numbers.`)
  for (const [x, { label, counts }] of columns.entries()) {
    const title = element('title', {})
    title.textContent = [
      label,
      ...series.map((each, i) => `${each.name} ${count(counts[i]!)}`),
    ].join(', ')
    const bar = element('g', {})
    let y = 100
    bar.append(
      title,
      // The whole column answers to the pointer.
      element('rect', { class: 'column', x, y: 0, width: 1, height: 100 }),
      ...counts.map((n, i) => {
        const height = (100 * n) / highest
        y -= height
        return painted(element('rect', { x: x + 0.08, y, width: 0.84, height }), series[i]!.colour)
      }),
    )
    svg.append(bar)
  }
  if (mark !== undefined) {
    svg.append(
      element('rect', {
        class: 'mark',
        x: mark * columns.length - 0.04,
        y: 0,
        width: 0.08,
        height: 100,
      }),
    )
  }
  const labels = columns
    .filter((_, i) => i % (columns.length / 4) === 0)
    .map(({ label }) => make('span', {}, label))
  const legend = series.map((each) => painted(make('span', {}, each.name), each.colour))
  byId(`${name}-chart`).replaceChildren(
    make('span', {}, count(highest)),
    svg,
    make('div', { className: 'axis', ariaHidden: 'true' }, ...labels),
    make('div', { className: 'legend', ariaHidden: 'true' }, ...legend),
  )
  writeTable(
    `${name}-table`,
    [head, ...series.map((each) => each.name)],
    columns
      .filter(({ counts }) => sum(counts) > 0)
      .toReversed()
      .map(({ label, counts }) => [label].concat(counts.map(count))),
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((total, n) => total + n, 0)

function element(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}
function painted<T extends SVGElement | HTMLElement>(made: T, colour: string): T {
  made.style.setProperty('--colour', `var(${colour})`)
  return made
}
