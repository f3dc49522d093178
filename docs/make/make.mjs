/**
 * Writes every generated file (`npm run docs`), or names those that are not what the code says (`npm run check:docs`, which
 * passes `--check` and exits with 1).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

register('./typescript.mjs', import.meta.url)
const { generated } = await import('./generated.ts')

const root = fileURLToPath(new URL('../..', import.meta.url))
const stale = [...(await generated(root))].filter(
  ([file, text]) => readFileSync(join(root, file), 'utf8') !== text,
)
const isCheck = process.argv.includes('--check')
for (const [file, text] of stale) {
  if (!isCheck) writeFileSync(join(root, file), text)
  process.stdout.write(
    isCheck ? `${file} is not what the code says: npm run docs writes it\n` : `wrote ${file}\n`,
  )
}
if (isCheck && stale.length > 0) process.exitCode = 1
