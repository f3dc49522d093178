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
  measure(gauge: Gauge): void
}

export type Instruments = ReturnType<typeof instruments>

/** Makes metrics in a registry, and remembers which: the registry may be of the program that we are part of. */
export function instruments(registry: Registry) {
  const registers = [registry]
  const names: string[] = []
  return {
    counter(definition: CounterConfiguration<string>): Counter {
      names.push(definition.name)
      return new Counter({ ...definition, registers })
    },
    histogram(definition: HistogramConfiguration<string>): Histogram {
      names.push(definition.name)
      return new Histogram({ ...definition, registers })
    },
    gauge({ measure, ...definition }: Measured): void {
      names.push(definition.name)
      const collect = () => measure(gauge)
      const gauge: Gauge = new Gauge({ ...definition, registers, collect })
    },
    /** Takes our metrics out of the registry. */
    unregister(): void {
      for (const name of names) registry.removeSingleMetric(name)
    },
  }
}
