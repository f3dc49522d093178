/** `npm run bench -- NAME…`: each program answers one question; `all` runs them one after the other. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const NAMES = ['visit', 'packages', 'siteverify', 'memory', 'cost', 'widget', 'gate']
const wanted = process.argv.slice(2).filter((arg) => NAMES.includes(arg) || arg === 'all')
const options = process.argv.slice(2).filter((arg) => !wanted.includes(arg))
if (wanted.length === 0) {
  process.stderr.write(
    `npm run bench -- NAME… [--quick] [--node24] [--slow]; NAME is one of ${NAMES.join(', ')}, or all\n`,
  )
  process.exit(2)
}
for (const name of wanted.includes('all') ? NAMES : wanted) {
  const file = join(import.meta.dirname, `${name}.mjs`)
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
