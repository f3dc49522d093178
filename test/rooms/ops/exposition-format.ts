/** Reads Prometheus' text format as prom-client writes it; that every line is in order is promtool's to say (test/world/deploy). */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface MetricFamily {
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

/** Returns the families of a page by their names. */
export function parseExposition(text: string): Map<string, MetricFamily> {
  const families = text.split(/^(?=# HELP )/m).map((block): [string, MetricFamily] => {
    const [, name, help] = /^# HELP (\S+) (.*)$/m.exec(block)!
    const samples = [...block.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, sample, labels = '', value]) => ({
      name: sample!,
      labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, is]) => [label, is!])),
      value: Number(value),
    }))
    return [name!, { type: /^# TYPE \S+ (.*)$/m.exec(block)![1]!, help: help!, samples }]
  })
  return new Map(families)
}

/** Returns the value of one series; undefined: there is none. */
export function valueOf(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const spelled = (of: object): string => JSON.stringify(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const samples = [...families.values()].flatMap((family) => family.samples)
  return samples.find((sample) => sample.name === name && spelled(sample.labels) === spelled(labels))?.value
}
