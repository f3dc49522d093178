import { FAMILIES, type MetricFamily, type FamilyName } from './metric-table.ts'

/**
 * Counts by series. A series is named by its family and its labels, with spaces between: `verdicts hv_site_shop accepted`.
 * Of a distribution, each bucket (`scores hv_site_shop sign-up 88`, the index of its bound) and the sum of what was
 * observed (`… sum`) are series too.
 */
export type Counts = ReadonlyMap<string, number>

/** What was counted under one set of labels since the start. */
export interface Cell {
  readonly labels: readonly string[]
  /** A counter: one number. A distribution: one for each bound, one for what is above, and the sum. */
  readonly values: Float64Array
}

/** The live counts of this process. To count is a look into two Maps; everything else happens when somebody reads. */
export interface Tally {
  /** @returns what adds to a counter: its labels in their order (a missing one is empty), and how many. */
  counter(family: FamilyName): (a?: string, b?: string, by?: number) => void
  /** @returns what adds a value to a distribution; one that is not a number is left out. */
  distribution(family: FamilyName): (value: number, a?: string, b?: string) => void
  cells(family: FamilyName): readonly Cell[]
  /** What was counted since the last call. */
  drain(): Counts
}

interface Live extends Cell {
  readonly family: FamilyName
  /** What the last drain has told already. */
  readonly previous: Float64Array
  /** Whether it is in the list of what the next drain tells. */
  touched: boolean
}

export function tally(): Tally {
  const all = new Map<FamilyName, Live[]>()
  let touched: Live[] = []

  /** Finds the cell of some labels, or makes it. Two Maps and not one with both labels in its key: no string is built. */
  function finder(family: FamilyName): (a: string, b: string) => Live {
    const { bounds, labels } = FAMILIES[family] as MetricFamily
    const size = bounds === undefined ? 1 : bounds.length + 2
    const cells: Live[] = []
    const byLabel = new Map<string, Map<string, Live>>()
    all.set(family, cells)
    return (a, b) => {
      let under = byLabel.get(a)
      if (under === undefined) byLabel.set(a, (under = new Map()))
      let cell = under.get(b)
      if (cell === undefined) {
        const [values, previous] = [new Float64Array(size), new Float64Array(size)]
        cell = { family, labels: [a, b].slice(0, labels.length), values, previous, touched: false }
        under.set(b, cell)
        cells.push(cell)
      }
      if (!cell.touched) {
        cell.touched = true
        touched.push(cell)
      }
      return cell
    }
  }

  return {
    counter(family) {
      const find = finder(family)
      return (a = '', b = '', by = 1) => {
        find(a, b).values[0]! += by
      }
    },
    distribution(family) {
      const find = finder(family)
      const { bounds = [] } = FAMILIES[family] as MetricFamily
      return (value, a = '', b = '') => {
        if (!Number.isFinite(value)) return
        const { values } = find(a, b)
        let bucket = 0
        while (bucket < bounds.length && value > bounds[bucket]!) bucket++
        values[bucket]! += 1
        values[bounds.length + 1]! += value
      }
    },
    cells: (family) => all.get(family) ?? [],
    drain() {
      const drained = new Map<string, number>()
      for (const cell of touched) tell(cell, drained)
      touched = []
      return drained
    },
  }
}

function tell(cell: Live, to: Map<string, number>): void {
  const { family, labels, values, previous } = cell
  const series = [family, ...labels].join(' ')
  const last = values.length - 1
  for (let i = 0; i <= last; i++) {
    const news = values[i]! - previous[i]!
    if (news !== 0) to.set(last === 0 ? series : `${series} ${i === last ? 'sum' : i}`, news)
  }
  previous.set(values)
  cell.touched = false
}

/** Adds each count to the one of the same series. */
export function addAll(to: Map<string, number>, counts: Counts): void {
  for (const [series, n] of counts) to.set(series, (to.get(series) ?? 0) + n)
}
