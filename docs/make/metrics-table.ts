import { GAUGES } from '../../src/ops/metrics/exposition.ts'
import { FAMILIES } from '../../src/ops/metrics/metric-table.ts'
import { table } from './table.ts'

/** The metrics of docs/operate/metrics.md: those that are counted, then those that are read when somebody asks. */
export function metricsTable(): string {
  const counted = Object.values(FAMILIES).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', ') || '–',
    help,
  ])
  const gauges = Object.entries(GAUGES).map(([name, help]) => [`\`${name}\``, 'gauge', GAUGE_LABELS[name] ?? '–', help])
  return table(['Metric', 'Type', 'Labels', 'Meaning'], [...counted, ...gauges])
}

const GAUGE_LABELS: Readonly<Record<string, string>> = {
  hv_build_info: '`version`',
  hv_in_force_since_timestamp_seconds: '`what`',
  hv_reload_refused: '`what`',
}
