import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

/** On what and of what this evaluation is. */
export function surroundings(root) {
  const git = (...args) => output('git', ['-C', root, ...args])
  return {
    date: new Date().toISOString().slice(0, 10),
    commit:
      git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'src', 'widget') ? ', changed' : ''),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`,
    browsers: {
      chromium: output('chromium', ['--version']),
      firefox: output('firefox-esr', ['--version']),
    },
  }
}

function output(program, args) {
  try {
    const text = execFileSync(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, HOME: '/tmp' },
    })
    return text.toString().trim()
  } catch {
    return ''
  }
}
