import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { besidePassed, type SuiteRun } from './suite-runs.ts'
import { table } from './table.ts'

interface Run extends SuiteRun {
  readonly proxy: string
  readonly version: string
}

const counted = (run: Run | undefined): string =>
  run === undefined ? '–' : `${run.passed}${besidePassed(run)}`

/** The table of docs/operate/install.md: which suites ran on which release of each proxy, when, and how many tests passed. */
export function proxiesTable(root: string): string {
  const text = readFileSync(join(root, 'lab/results/proxies.json'), 'utf8')
  const { runs } = JSON.parse(text) as { runs: readonly Run[] }
  const proxies = [...new Set(runs.map(({ proxy }) => proxy))]
  /** Says what each run of a proxy says, once. */
  const each = (of: (run: Run) => string) =>
    proxies.map((name) => {
      const own = runs.filter(({ proxy }) => proxy === name)
      return [...new Set(own.map(of))].join(', ')
    })
  const suites = [...new Set(runs.map(({ suite }) => suite))]
  const runOf = (name: string, of: string) =>
    runs.find(({ proxy, suite }) => proxy === name && suite === of)
  return table(
    ['Tests in `test/world`', ...each(({ proxy, version }) => `${proxy} ${version}`)],
    [
      ...suites.map((suite) => [
        `\`${suite}\``,
        ...proxies.map((name) => counted(runOf(name, suite))),
      ]),
      ['Run on', ...each(({ date }) => date)],
    ],
  )
}
