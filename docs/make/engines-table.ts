import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Parts, table } from './table.ts'

/** A suite on a server, as `npm run engines -- --write` found it. */
interface Run {
  readonly server: string
  readonly from: string
  readonly suite: 'ledger' | 'faults'
  readonly passed: number
  readonly again: number
  readonly failed: number
  readonly date: string
}

const counted = (run: Run | undefined): string => {
  if (run === undefined) return 'not run'
  const again = run.again > 0 ? `, ${run.again} of them at the second try` : ''
  const failed = run.failed > 0 ? `, ${run.failed} failed` : ''
  return `${run.date}: ${run.passed} passed${again}${failed}`
}

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
