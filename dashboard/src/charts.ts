import uPlot from 'uplot'
import { axisTime } from './texts.ts'

/** What a chart shows; a list of values for each series, as long as the xs. */
export interface Drawing {
  readonly xs: readonly number[]
  readonly series: readonly Line[]
  /** A picture in words, for whom the chart is none. */
  readonly says: string
}

export interface Line {
  readonly name: string
  /** A custom property of the style sheet: `--good`. */
  readonly colour: string
  /** Pixels on, pixels off; left out: a whole line. */
  readonly dash?: readonly number[]
  readonly values: readonly (number | null)[]
}

export interface ChartOptions {
  readonly height: number
  /** `time`: Unix seconds on the x axis. */
  readonly x: 'time' | 'number'
  readonly bars?: boolean
  /** Each bar stands on the one before it: together they are the whole. */
  readonly stacked?: boolean
  /** Texts at the xs, instead of numbers. */
  readonly ticks?: () => readonly string[]
  /** From where to where the x axis goes; left out: as far as the xs. */
  readonly range?: () => [number, number]
  /** Draws on top. */
  readonly draw?: (plot: uPlot) => void
  /** Where the pointer is, or null when it left; and where it was pressed. */
  readonly hover?: (x: number | null) => void
  readonly press?: (x: number) => void
  readonly value?: (value: number) => string
}

export interface Chart {
  draw(drawing: Drawing): void
}

const darkness = matchMedia('(prefers-color-scheme: dark)')

export const colour = (property: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(property).trim()

/** A chart that follows the width of its place and the colours of the system. */
export function chart(place: HTMLElement, options: ChartOptions): Chart {
  let plot: uPlot | undefined
  let shape = ''
  let last: Drawing | undefined

  const width = (): number => Math.max(200, place.clientWidth)

  function make(drawing: Drawing): void {
    plot?.destroy()
    plot = new uPlot(settings(drawing, options, width()), dataOf(drawing, options), place)
    if (options.press) {
      plot.over.addEventListener('click', () => {
        const { left } = plot!.cursor
        if (left !== undefined && left >= 0) options.press!(plot!.posToVal(left, 'x'))
      })
    }
  }

  function draw(drawing: Drawing): void {
    last = drawing
    place.setAttribute('role', 'img')
    if (place.getAttribute('aria-label') !== drawing.says) place.setAttribute('aria-label', drawing.says)
    const now = JSON.stringify([drawing.series.map(({ name }) => name), darkness.matches, options.ticks?.()])
    if (plot === undefined || now !== shape) make(drawing)
    else plot.setData(dataOf(drawing, options))
    shape = now
  }

  new ResizeObserver(() => {
    if (plot && plot.width !== width()) plot.setSize({ width: width(), height: options.height })
  }).observe(place)
  darkness.addEventListener('change', () => last && draw(last))
  return { draw }
}

function dataOf({ xs, series }: Drawing, { stacked }: ChartOptions): uPlot.AlignedData {
  if (!stacked) return [[...xs], ...series.map(({ values }) => [...values])]
  // What comes later is drawn over what came before: so each one reaches as far as all that are drawn after it.
  const reaches = series.map((_, first) =>
    xs.map((_x, i) => series.slice(first).reduce((sum, { values }) => sum + (values[i] ?? 0), 0)),
  )
  return [[...xs], ...reaches]
}

function settings({ series }: Drawing, options: ChartOptions, width: number): uPlot.Options {
  const { height, x, bars, ticks, range, draw, hover, value = String } = options
  const line = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
  return {
    width,
    height,
    legend: { live: false, markers: { dash: (plot, i) => styleOf(plot.series[i]?.dash) } },
    cursor: { points: { show: !bars }, drag: { setScale: false }, y: false },
    scales: {
      x: { time: x === 'time', ...(range && { range }) },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...line,
        size: 32,
        ...(x === 'time' && { values: (_plot, at) => at.map(axisTime) }),
        ...(ticks && {
          values: (plot, at) => at.map((i) => (crowded(plot) && i % 2 === 1 ? '' : (ticks()[i] ?? ''))),
          splits: () => [...ticks().keys()],
        }),
      },
      { ...line, size: 56, values: (_plot, at) => at.map((each) => (each === null ? '' : value(each))) },
    ],
    series: [
      {},
      ...series.map((each) => ({
        label: each.name,
        stroke: colour(each.colour),
        width: bars ? 0 : 1.5,
        spanGaps: false,
        ...(each.dash && { dash: [...each.dash] }),
        points: { show: false },
        ...(bars && { fill: colour(each.colour), paths: uPlot.paths.bars!({ size: [0.86, 60] }) }),
      })),
    ],
    hooks: {
      ...(draw && { draw: [draw] }),
      ...(hover && { setCursor: [(plot: uPlot) => hover(pointed(plot))] }),
    },
  }
}

/** Too narrow for a text at every bar. */
const crowded = (plot: uPlot): boolean => plot.width < 420
const styleOf = (dash: number[] | undefined): string =>
  dash === undefined ? 'solid' : dash[0]! < 4 ? 'dotted' : 'dashed'

function pointed(plot: uPlot): number | null {
  const { left } = plot.cursor
  return left === undefined || left < 0 ? null : plot.posToVal(left, 'x')
}
