import { createMetrics } from '../../src/ops/metrics.ts'
import { table } from './table.ts'

/** Every metric of ours, as it is registered. */
export function ownMetrics(): readonly {
  readonly name: string
  readonly cells: readonly string[]
}[] {
  const metrics = createMetrics({ version: '' })
  metrics.observeProcess({ fault: () => undefined, fullness: () => 0, clockAhead: () => 0 })
  const own = metrics.registry.getMetricsAsArray().filter(({ name }) => name.startsWith('hv_'))
  return own.map((metric) => {
    const { name, help, type } = metric
    const labels = 'labelNames' in metric ? (metric.labelNames as readonly string[]) : []
    return {
      name,
      cells: [
        `\`${name}\``,
        String(type),
        labels.map((label) => `\`${label}\``).join(', ') || '–',
        help,
      ],
    }
  })
}

/** The metrics of docs/operate/metrics.md. */
export const metricsTable = (): string =>
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    ownMetrics().map(({ cells }) => cells),
  )
