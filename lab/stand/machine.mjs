import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** A module of the service as it is built. */
export const dist = (file) => import(join(ROOT, 'dist', file))

/** Says on what and of what a figure is: without it, a figure is worth nothing. */
export function machine(node = process.execPath) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  // Results that another program has just written change nothing.
  const dirty =
    git('status', '--porcelain', '--', '.', ':!lab/results', ':!docs') === '' ? '' : ' with changes'
  return {
    commit: git('rev-parse', '--short', 'HEAD') + dirty,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`,
    load: loadavg()[1].toFixed(1),
  }
}

/** The line under the title of every result. */
export const inWords = (command, { commit, date, machine: where, load }) =>
  `\`${command}\` at commit ${commit}, ${date}: ${where}. Load average of the last five minutes: ${load}; ` +
  'well above 2, others were at work on the machine as well.'
