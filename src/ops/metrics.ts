import { collectDefaultMetrics, Registry } from 'prom-client'
import type { InForce, Meters, Reloadable } from '../domain/observing.ts'
import type { Ledger } from '../domain/ports.ts'
import { instruments } from './instruments.ts'
import { boundedLabels } from './labels.ts'
import { type LastHour, lastHour } from './last-hour.ts'
import { reloadMetrics } from './reload-metrics.ts'
import { requestMetrics } from './request-metrics.ts'
import { storeMetrics } from './store-metrics.ts'

const REQUESTS_SHED = {
  name: 'hv_requests_shed_total',
  help: 'Requests refused unread, with 503, because more came than this process can serve in time.',
}
const LOG_LINES_LOST = {
  name: 'hv_log_lines_lost_total',
  help: 'Log lines that could not be written.',
}
const BUILD_INFO = {
  name: 'hv_build_info',
  help: 'Always 1; the version is its label.',
  labelNames: ['version'],
}

export interface MetricsOptions {
  /** The version of this package. */
  readonly version: string
  /** Unix milliseconds. */
  readonly clock?: () => number
  readonly labels?: ReturnType<typeof boundedLabels>
  /** The registry of the program that we are part of, which measures its process itself. If omitted: a new one. */
  readonly registry?: Registry | undefined
}

/** Everything that this process counts. It decides nothing, waits for nothing, and has no label that a stranger can choose. */
export interface Metrics extends Meters {
  /** Holds every metric for GET /metrics. The table of docs/operate/metrics.md is generated from it. */
  readonly registry: Registry
  readonly hour: LastHour
  /** When the version in force was read, and why a newer one was refused. */
  readonly inForce: (what: Reloadable) => InForce
  /** Adds the gauges of the ledger, and those of the process: memory, event loop, garbage collection. */
  observeProcess(ledger: Pick<Ledger, 'fault' | 'fullness' | 'clockAhead'>): void
  /** Takes our metrics out of the registry, so that a program can start us again with the same one. */
  unregister(): void
}

export function createMetrics({
  version,
  clock = Date.now,
  labels = boundedLabels(),
  registry: given,
}: MetricsOptions): Metrics {
  const registry = given ?? new Registry()
  const make = instruments(registry)
  const hour = lastHour(clock)
  const countRequest = requestMetrics(make, labels)
  const stores = storeMetrics(make)
  const reloads = reloadMetrics(make, clock)
  const requestsShed = make.counter(REQUESTS_SHED)
  const linesLost = make.counter(LOG_LINES_LOST)
  make.gauge({ ...BUILD_INFO, measure: (to) => to.set({ version }, 1) })

  return {
    registry,
    hour,
    inForce: reloads.inForce,
    unregister: make.unregister,
    observeProcess(ledger) {
      if (!given) collectDefaultMetrics({ register: registry })
      stores.observe(ledger)
    },
    request(operation, notes) {
      hour.request(operation, notes)
      countRequest(operation, notes)
    },
    storeCall: stores.storeCall,
    generationMoved() {
      stores.generationMoved()
      hour.incident('generation-moved', 1)
    },
    reloaded: reloads.reloaded,
    shed(requests) {
      requestsShed.inc(requests)
      hour.incident('shed', requests)
    },
    linesLost(lines) {
      linesLost.inc(lines)
      hour.incident('lines-lost', lines)
    },
  }
}
