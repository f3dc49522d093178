import {
  Counter,
  type CounterConfiguration,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client'

/** A gauge, and how its value is found when it is asked for. */
export interface Measured {
  readonly name: string
  readonly help: string
  readonly labelNames?: string[]
  readonly measure: (gauge: Gauge) => void
}

export type Instruments = ReturnType<typeof instruments>

/** Makes metrics in a registry, and remembers which: the registry may be of the program that we are part of. */
export function instruments(registry: Registry) {
  const registers = [registry]
  const names: string[] = []

  function counter(definition: CounterConfiguration<string>): Counter {
    names.push(definition.name)
    return new Counter({ ...definition, registers })
  }

  function histogram(definition: HistogramConfiguration<string>): Histogram {
    names.push(definition.name)
    return new Histogram({ ...definition, registers })
  }

  function gauge({ measure, ...definition }: Measured): void {
    names.push(definition.name)
    const made: Gauge = new Gauge({ ...definition, registers, collect: () => measure(made) })
  }

  /** Takes our metrics out of the registry. */
  function unregister(): void {
    for (const name of names) registry.removeSingleMetric(name)
  }

  return { counter, histogram, gauge, unregister }
}
