import type { Dice } from './dice.ts'
import type { Spelling } from './spelling.ts'
import type { ProofTask, Rect } from './task.ts'

interface Placed {
  /** Track across the flow: a column in row flow. */
  readonly line: number
  readonly lines: number
  /** Track along the flow, made as needed. */
  readonly row: number
  readonly rows: number
}

interface GridItem {
  readonly lines: number
  readonly rows: number
  /** The line that its style names, from 0; undefined: wherever there is room. */
  readonly line: number | undefined
}

/** A grid, as it was drawn. Lengths are pixels; "across" and "along" are said of the flow. */
type Grid = ReturnType<typeof drawGrid>

function drawGrid(dice: Dice) {
  const byRow = dice.below(3) > 0
  const dense = dice.below(2) === 1
  const rtl = dice.below(2) === 1
  const count = dice.from(3, 4)
  const fr = dice.from(11, 30)
  const tracks = dice.times(count, () => {
    const flexible = dice.below(2) ? dice.from(1, 3) : 0
    return { flexible, size: flexible > 0 ? flexible * fr : dice.from(14, 60) }
  })
  const auto = [dice.from(10, 40), dice.from(10, 40)] as const
  const gap = { across: dice.from(0, 12), along: dice.from(0, 12) }
  const items: GridItem[] = dice.times(5, () => {
    const lines = dice.pick([1, 1, 2])
    const line = dice.below(4) === 0 ? dice.below(count - lines + 1) : undefined
    return { lines, rows: dice.pick([1, 1, 2]), line }
  })
  return { byRow, dense, rtl, count, tracks, auto, gap, items }
}

/**
 * A grid with fixed and flexible tracks, gaps, implicit tracks of two sizes, spans and auto-placement, sparse or dense,
 * by row or by column, from left or from right. CSS Grid Layout 2, 8.5 and 12.7.
 *
 * Why only an engine: where an item lands depends on all before it.
 * People who could be hurt: none known; no subgrid, no intrinsic sizes, and a whole flexible unit.
 */
export function gridTask(dice: Dice): ProofTask {
  const grid = drawGrid(dice)
  const { rects, across, along } = layOut(grid)
  const targets = dice.shuffled([...rects.keys()]).slice(0, 3)
  return {
    expected: targets.flatMap((index) => [...rects[index]!]),
    put(spelling) {
      const container = containerStyle(grid, { across, along }, spelling)
      const boxes = grid.items.map((item) => itemStyle(grid, item, spelling))
      return [
        'box',
        [[-1, container], ...boxes.map((box) => [0, box] as const)],
        targets.map((index) => index + 1),
      ]
    },
  }
}

interface Size {
  readonly across: number
  readonly along: number
}

function layOut({ byRow, dense, rtl, count, tracks, auto, gap, items }: Grid) {
  const placed = place(items, count, dense)
  const sizes = tracks.map(({ size }) => size)
  const across = sizes.reduce((sum, size) => sum + size, 0) + gap.across * (count - 1)
  const starts = offsets(sizes, gap.across)
  const last = Math.max(...placed.map(({ row, rows }) => row + rows))
  const rowSizes = Array.from({ length: last }, (_, row) => auto[row % 2]!)
  const rowStarts = offsets(rowSizes, gap.along)
  const along = rowStarts[last]! - gap.along
  const width = byRow ? across : along
  const rects = placed.map(({ line, lines, row, rows }): Rect => {
    const a = starts[line]!
    const wide = starts[line + lines]! - gap.across - starts[line]!
    const b = rowStarts[row]!
    const high = rowStarts[row + rows]! - gap.along - rowStarts[row]!
    const [x, y, w, h] = byRow ? [a, b, wide, high] : [b, a, high, wide]
    return [rtl ? width - x - w : x, y, w, h]
  })
  return { rects, across, along }
}

function containerStyle(grid: Grid, { across, along }: Size, spelling: Spelling): string {
  const { byRow, dense, rtl, tracks, auto, gap } = grid
  const { length, style, scope, dice } = spelling
  const [fixed, free] = byRow ? ['columns', 'rows'] : ['rows', 'columns']
  const [own, other] = byRow ? ['column', 'row'] : ['row', 'column']
  const template = tracks.map(({ flexible, size }) => {
    if (flexible > 0) return `${flexible}fr`
    return dice.below(3) ? length(size, across) : `minmax(${length(size, across)},${length(size)})`
  })
  return style(
    'display:grid',
    scope,
    rtl ? 'direction:rtl' : '',
    `grid-auto-flow:${byRow ? 'row' : 'column'}${dense ? ' dense' : ''}`,
    `grid-template-${fixed}:${template.join(' ')}`,
    `grid-auto-${free}:${length(auto[0])} ${length(auto[1])}`,
    `${own}-gap:${length(gap.across)}`,
    `${other}-gap:${length(gap.along)}`,
    `width:${length(byRow ? across : along)}`,
    byRow ? '' : `height:${length(across)}`,
  )
}

function itemStyle({ byRow, count }: Grid, item: GridItem, { style, dice }: Spelling): string {
  const [own, other] = byRow ? ['column', 'row'] : ['row', 'column']
  const span = item.lines > 1 ? `grid-${own}-end:span 2` : ''
  return style(
    item.line === undefined
      ? span
      : spelledLine(own, item.line, { lines: item.lines, count }, dice),
    item.rows > 1 ? `grid-${other}:span 2` : '',
  )
}

/** Lines count from 1, or from the end as −1. */
function spelledLine(
  own: string,
  line: number,
  { lines, count }: { readonly lines: number; readonly count: number },
  how: Dice,
): string {
  const start = how.below(2) ? line + 1 : line - count - 1
  return how.below(2)
    ? `grid-${own}:${start}/span ${lines}`
    : `grid-${own}-start:${start};grid-${own}-end:${line + 1 + lines}`
}

/** Returns where each track begins, and where the last one ends. */
function offsets(sizes: readonly number[], gap: number): number[] {
  const starts = [0]
  for (const size of sizes) starts.push(starts.at(-1)! + size + gap)
  return starts
}

/** Auto-placement with a cursor: sparse never goes back, dense always starts over. CSS Grid Layout 2, 8.5, step 4. */
function place(items: readonly GridItem[], count: number, dense: boolean): Placed[] {
  const taken = new Set<number>()
  const cell = (row: number, line: number): number => row * count + line
  const isFree = ({ row, rows, line, lines }: Placed): boolean => {
    for (let r = row; r < row + rows; r++) {
      for (let l = line; l < line + lines; l++) if (taken.has(cell(r, l))) return false
    }
    return true
  }
  let cursor = { row: 0, line: 0 }

  return items.map(({ lines, rows, line: own }) => {
    let { row, line } = dense ? { row: 0, line: 0 } : cursor
    if (own !== undefined) {
      if (own < line) row++
      line = own
    }
    for (;;) {
      const here = { row, rows, line, lines }
      if (line + lines <= count && isFree(here)) {
        for (let r = row; r < row + rows; r++)
          for (let l = line; l < line + lines; l++) taken.add(cell(r, l))
        cursor = { row, line }
        return here
      }
      if (own !== undefined) row++
      else if (line + lines < count) line++
      else {
        row++
        line = 0
      }
    }
  })
}
