import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './machine.mjs'

/**
 * Prints a result, and keeps it in lab/results: the text for readers, the figures that are quoted elsewhere beside it.
 *
 * @param quick a short run is for looking, not for quoting: it is printed only.
 */
export function writeResult(name, text, figures, quick = false) {
  process.stdout.write(`${text}\n`)
  if (quick) return
  const folder = join(ROOT, 'lab/results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), `${text.trimEnd()}\n`)
  if (figures) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`)
}
