import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

/** What a figure is worth nothing without. */
export function machine(node = process.execPath) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  // Results that another bench has just written change nothing.
  const dirty = git('status', '--porcelain', '--', '.', ':!lab/results') === '' ? '' : ' with changes'
  return {
    commit: git('rev-parse', '--short', 'HEAD') + dirty,
    date: new Date().toISOString().slice(0, 10),
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    load: loadavg()[1].toFixed(1),
  }
}

/** The line under the title of every result. */
export const inWords = (command, { commit, date, node, machine: where, load }) =>
  `\`${command}\` at commit ${commit}, ${date}: ${where}, Node.js ${node}. Load average of the last five minutes: ${load}; ` +
  'well above 2, others were at work on the machine as well.'
