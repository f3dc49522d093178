import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const ROWS = 'build/faults.jsonl'

/** Jest's reporter for the faults: one table of what every run showed, printed and kept in build/faults.md. */
export default class Table {
  onRunStart() {
    mkdirSync('build', { recursive: true })
    rmSync(ROWS, { force: true })
  }

  onRunComplete() {
    if (!existsSync(ROWS)) return
    const rows = readFileSync(ROWS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    // Each product's row before its control; faults in the order of their names.
    rows.sort((a, b) => a.id.localeCompare(b.id) || Number(a.ledger === 'naive') - Number(b.ledger === 'naive'))
    const lines = rows.map(({ id, what, ledger, spends, accepted, twice, freshAfter }) =>
      [id, what, ledger === 'naive' ? 'plain SET NX (control)' : 'ours', spends, accepted, twice, freshAfter].join(
        ' | ',
      ),
    )
    const heading =
      'fault | what happens | ledger | spends | accepted | accepted twice | first fresh success after (ms)'
    const table = [heading, '--- | --- | --- | --: | --: | --: | --:', ...lines].map((line) => `| ${line} |`).join('\n')
    writeFileSync('build/faults.md', `${table}\n`)
    process.stdout.write(`\n${table}\n`)
  }
}
