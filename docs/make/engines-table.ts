import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { besidePassed, type SuiteRun } from './suite-runs.ts'
import { type Parts, table } from './table.ts'

interface Run extends SuiteRun {
  readonly server: string
  readonly from: string
  readonly suite: 'ledger' | 'faults'
}

const counted = (run: Run | undefined): string =>
  run === undefined ? 'not run' : `${run.date}: ${run.passed} passed${besidePassed(run)}`

/** The table of servers in docs/operate/engines.md: those that the suites ran on. */
export function enginesParts(root: string): Parts {
  const text = readFileSync(join(root, 'lab/results/engines.json'), 'utf8')
  const { runs } = JSON.parse(text) as { runs: readonly Run[] }
  const servers = new Map(runs.map(({ server, from }) => [server, from]))
  const rows = [...servers].map(([server, from]) => {
    const of = (suite: Run['suite']) =>
      runs.find((run) => run.server === server && run.suite === suite)
    return [server, from, counted(of('ledger')), counted(of('faults'))]
  })
  return { servers: table(['Server', 'Where it is from', '`ledger`', '`faults`'], rows) }
}
