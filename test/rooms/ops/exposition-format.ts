/** Reads Prometheus' text format, version 0.0.4, and takes nothing for granted: what promtool would refuse throws. */

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

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y

/** @throws {Error} that names the line. */
export function parseExposition(text: string): Map<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>()
  let current = ''
  for (const line of text.split('\n').filter(Boolean)) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line)
    if (comment) {
      const [, kind, name, rest] = comment as unknown as [string, string, string, string]
      const known = families.get(name)
      if (kind === 'HELP' && known) throw new Error(`twice: ${line}`)
      if (kind === 'TYPE' && (!known || name !== current || known.samples.length > 0)) throw new Error(`late: ${line}`)
      families.set(name, { type: kind === 'TYPE' ? rest : '', help: known?.help ?? rest, samples: [] })
      current = name
      continue
    }
    const sample = readSample(line)
    const family = families.get(current)!
    const suffix = sample.name.slice(current.length)
    const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    if (!sample.name.startsWith(current) || !suffixes.includes(suffix)) throw new Error(`of no family: ${line}`)
    family.samples.push(sample)
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function readSample(line: string): Sample {
  const [, name, inside = '', number] = SAMPLE.exec(line) ?? []
  if (name === undefined || number === undefined) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inside.length;) {
    const [, label, value] = LABEL.exec(inside) ?? []
    if (label === undefined || label in labels) throw new Error(`labels: ${line}`)
    labels[label] = value!
  }
  const value = number === '+Inf' ? Infinity : number === 'Nan' || number === 'NaN' ? NaN : Number(number)
  if (Number.isNaN(value) && !/^na?n$/i.test(number)) throw new Error(`no number: ${line}`)
  return { name, labels, value }
}

function checkFamily(name: string, { type, samples }: MetricFamily): void {
  const seen = new Set<string>()
  for (const { name: of, labels } of samples) {
    const series = `${of} ${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`
    if (seen.has(series)) throw new Error(`twice: ${series}`)
    seen.add(series)
  }
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name}: below 0`)
  if (type !== 'histogram') return
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const labels = JSON.stringify({ ...sample.labels, le: undefined })
    groups.set(labels, [...(groups.get(labels) ?? []), sample])
  }
  for (const [labels, group] of groups) {
    const buckets = group.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map((each) => Number(each.labels['le']!.replace('+Inf', 'Infinity')))
    const values = buckets.map(({ value }) => value)
    const count = group.find((each) => each.name === `${name}_count`)?.value
    const ascending = (all: number[], or = 0): boolean => all.every((each, i) => i === 0 || each > all[i - 1]! - or)
    if (!ascending(bounds) || !ascending(values, 1) || bounds.at(-1) !== Infinity || values.at(-1) !== count) {
      throw new Error(`${name}${labels}: not a histogram`)
    }
  }
}

/** The value of one series; undefined: there is none. */
export function valueOf(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const family = [...families].find(([each]) => name === each || name.replace(/_(bucket|sum|count)$/, '') === each)?.[1]
  return family?.samples.find(
    (sample) =>
      sample.name === name &&
      Object.keys(sample.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value
}
