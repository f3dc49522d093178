import { setImmediate as turn } from 'node:timers/promises'
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { Ledger } from '../../ports/stores.ts'
import { FAMILIES, type MetricFamily, type FamilyName } from './metric-table.ts'
import type { ReloadState } from './reload-state.ts'
import type { Cell, Tally } from './tally.ts'

export interface ExpositionParts {
  readonly counts: Tally
  readonly reloads: ReloadState
  readonly ledger: Pick<Ledger, 'fault' | 'fullness'>
  /** Of this package. */
  readonly version: string
  /** Whether to tell of the process too: memory, event loop, garbage collection. */
  readonly ofProcess: boolean
}

/** One line of a family: `hv_verdicts_total{site="…",code="accepted"} 3`. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  readonly metricName?: string
}

/** GET /metrics of this process, in Prometheus' text format. The library writes it; we hold the counts. */
export function exposition(parts: ExpositionParts): () => Promise<{ readonly type: string; readonly text: string }> {
  const { counts, ofProcess } = parts
  const registry = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: registry })
  addGauges(registry, parts)
  for (const [key, family] of Object.entries<MetricFamily>(FAMILIES)) {
    const { name, help, type } = family
    const values = (): Value[] => linesOf(family, counts.cells(key as FamilyName))
    // Of a metric the registry only ever asks `get`; its own classes would count a second time what we have counted.
    const metric = { name, help, type, get: async () => ({ name, help, type, values: values() }) }
    registry.registerMetric(metric as unknown as Metric)
  }
  return async () => {
    const texts: string[] = []
    for (const { name } of registry.getMetricsAsArray()) {
      texts.push(await registry.getSingleMetricAsString(name))
      // With a thousand sites this is work: visitors get their turns in between.
      await turn()
    }
    return { type: registry.contentType, text: `${texts.join('\n\n')}\n` }
  }
}

function linesOf(family: MetricFamily, cells: readonly Cell[]): Value[] {
  // What has no labels is known before it first moves, so that its first move is seen.
  const rows = cells.length === 0 && family.labels.length === 0 ? [unmoved(family)] : cells
  if (family.type === 'histogram') return rows.flatMap((cell) => linesOfOne(family, cell))
  return rows.map(({ labels, values }) => ({ labels: labelsOf(family, labels), value: values[0]! }))
}

const unmoved = ({ bounds }: MetricFamily): Cell => ({
  labels: [],
  values: new Float64Array(bounds === undefined ? 1 : bounds.length + 2),
})

/** Prometheus adds up from below: each bucket holds the ones before it. */
function linesOfOne(family: MetricFamily, cell: Cell): Value[] {
  const { name, bounds = [], exposed = bounds } = family
  const labels = labelsOf(family, cell.labels)
  const lines: Value[] = []
  let below = 0
  for (const [i, bound] of bounds.entries()) {
    below += cell.values[i]!
    if (exposed.includes(bound)) {
      lines.push({ metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: below })
    }
  }
  const count = below + cell.values[bounds.length]!
  lines.push(
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: cell.values[bounds.length + 1]! },
    { metricName: `${name}_count`, labels, value: count },
  )
  return lines
}

const labelsOf = ({ labels }: MetricFamily, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(labels.map((label, i) => [label, values[i] ?? '']))

/** What is true now. Held in docs/operate/metrics.md as the counts are. */
export const GAUGES = {
  hv_build_info: 'Always 1; the version is its label.',
  hv_ledger_usable: '1 while a part of the ledger can be used, else 0: then the service answers 503.',
  hv_ledger_full_ratio:
    'Share of the memory of Redis (of the entries of an embedded ledger) in use; from 0.95 on no challenge is issued. 0 without maxmemory.',
  hv_in_force_since_timestamp_seconds: 'When the configuration, or the keyring, in force was read; Unix seconds.',
  hv_reload_refused:
    '1 while the file of the configuration, or of the keyring, is one that was refused; the old one stays in force.',
} as const

function addGauges(registry: Registry, { reloads, ledger, version }: ExpositionParts): void {
  const gauge = (name: keyof typeof GAUGES, labelNames: readonly string[], collect: (to: Gauge) => void): void => {
    const metric: Gauge = new Gauge({
      name,
      help: GAUGES[name],
      labelNames,
      registers: [registry],
      collect: () => collect(metric),
    })
  }
  gauge('hv_build_info', ['version'], (to) => to.set({ version }, 1))
  gauge('hv_ledger_usable', [], (to) => to.set(ledger.fault() === undefined ? 1 : 0))
  gauge('hv_ledger_full_ratio', [], (to) => to.set(ledger.fullness()))
  gauge('hv_in_force_since_timestamp_seconds', ['what'], (to) => {
    for (const what of RELOADABLE) to.set({ what }, reloads.inForce(what).since / 1000)
  })
  gauge('hv_reload_refused', ['what'], (to) => {
    for (const what of RELOADABLE) to.set({ what }, reloads.inForce(what).problem === undefined ? 0 : 1)
  })
}

const RELOADABLE = ['configuration', 'keyring'] as const
