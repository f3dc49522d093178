/** One process' answer to GET /metrics. */
export interface ProcessMetrics {
  /** Its number, which a process that takes its place has again. */
  readonly process: number
  readonly text: string
}

interface Family {
  readonly head: readonly string[]
  readonly lines: string[]
}

/**
 * Joins what several processes count into one text for Prometheus.
 *
 * Each line gets the label `process`, so that none is a sum of what a restart set back to 0, and the lines of one family
 * stand together, under its first help and type.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function mergeMetrics(all: readonly ProcessMetrics[]): string {
  const families = new Map<string, Family>()
  for (const { process, text } of all) {
    for (const block of text.split('\n\n')) {
      const lines = block.split('\n').filter((line) => line !== '')
      const head = lines.filter((line) => line.startsWith('#'))
      if (head[0] === undefined) continue
      const name = head[0].split(' ', 3)[2]!
      const family = families.get(name) ?? { head, lines: [] }
      families.set(name, family)
      for (const line of lines.slice(head.length)) family.lines.push(labelled(line, process))
    }
  }
  const blocks = [...families.values()].map(({ head, lines }) => [...head, ...lines].join('\n'))
  return `${blocks.join('\n\n')}\n`
}

/** `name 1` and `name{a="b"} 1`: the name has neither blank nor brace. */
function labelled(line: string, process: number): string {
  const end = line.search(/[ {]/)
  const [name, rest] = [line.slice(0, end), line.slice(end)]
  return rest.startsWith('{') ? `${name}{process="${process}",${rest.slice(1)}` : `${name}{process="${process}"}${rest}`
}
