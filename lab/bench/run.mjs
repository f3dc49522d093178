/** `npm run bench -- NAME… [options]`: each program answers one question; `all` runs them one after the other. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const names = readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -4))
const wanted = process.argv.slice(2).filter((arg) => names.includes(arg) || arg === 'all')
const options = process.argv.slice(2).filter((arg) => !wanted.includes(arg))
if (wanted.length === 0) {
  process.stderr.write(`npm run bench -- NAME… [--quick]; NAME is one of ${names.join(', ')}, or all\n`)
  process.exit(2)
}
for (const name of wanted.includes('all') ? names : wanted) {
  const { status } = spawnSync(process.execPath, [join(here, `${name}.mjs`), ...options], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
