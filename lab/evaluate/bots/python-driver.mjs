import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../../stand/machine.mjs'

/** The distribution's Python: one below root's home is closed to the account of visitors. */
const PYTHON = '/usr/bin/python3'
const at = (file) => join(import.meta.dirname, file)
const PROGRAM = at('python-drivers.py')
/** Pinned releases with all that they need; an agent's own list is long, and its versions are not those of the others. */
const LISTS = {
  'browser-use': 'browser-use.txt',
  crawl4ai: 'crawl4ai.txt',
  'crawl4ai-magic': 'crawl4ai.txt',
}

/** Installs the packages of a list below build/, once for each of its versions. @returns the folder */
function installed(file) {
  const list = readFileSync(at(file), 'utf8')
  const version = createHash('sha256').update(list).digest('hex').slice(0, 12)
  const target = join(ROOT, 'build/programs', `${file.replace('.txt', '')}-${version}`)
  if (existsSync(target)) return target
  // What an interrupted installation left would look like the whole.
  const part = `${target}.part`
  rmSync(part, { recursive: true, force: true })
  const args = ['install', '--quiet', '--no-deps', '--target', part, '--requirement', at(file)]
  const quiet = ['--disable-pip-version-check', '--root-user-action=ignore']
  const { status, stderr } = spawnSync('python3', ['-m', 'pip', ...args, ...quiet], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`pip could not install ${file}: ${stderr.trim()}`)
  renameSync(part, target)
  return target
}

/** How a driver of PyPI is started. `id`: its name in python-drivers.py. */
export const pythonDriver = (id) => ({
  name: id,
  program: PYTHON,
  args: [PROGRAM, id],
  env: { PYTHONPATH: installed(LISTS[id] ?? 'python-drivers.txt'), PYTHONUNBUFFERED: '1' },
})
