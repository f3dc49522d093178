import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inWords, machine, ROOT } from '../../stand/machine.mjs'

/** `--quick`: a short run is for looking, not for quoting. */
export const QUICK = process.argv.includes('--quick')
/** `--slow`: the browser at a quarter of its speed. */
export const SLOW = process.argv.includes('--slow')
const isNode24 = process.argv.includes('--node24')
/** The options whose results are kept apart. */
const APART = [isNode24 && 'node24', SLOW && 'slow'].filter(Boolean)
/** The Node.js that is measured: this one, or with `--node24` the image's, which lab/package.json brings. */
export const NODE = isNode24 ? join(ROOT, 'lab/node_modules/node/bin/node') : process.execPath

/**
 * Prints a result and, after a whole run, keeps it in lab/results: the text for readers, the figures that are quoted elsewhere
 * beside it.
 */
export function writeResult(bench, { title, text, figures }) {
  const command = ['npm run bench --', bench, ...APART.map((option) => `--${option}`)].join(' ')
  const page = `# ${title}\n\n${inWords(command, machine(NODE))}\n${text.trimEnd()}\n`
  process.stdout.write(page)
  if (QUICK) return
  const file = join(ROOT, 'lab/results', [bench, ...APART].join('-'))
  mkdirSync(join(ROOT, 'lab/results'), { recursive: true })
  writeFileSync(`${file}.md`, page)
  writeFileSync(`${file}.json`, `${JSON.stringify(figures, undefined, 2)}\n`)
}
