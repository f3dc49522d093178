import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a program to its end. @throws {Error} when it fails, with what it said. */
export function run(program, args, { cwd = ROOT, input = '', env = {} } = {}) {
  const options = { cwd, input, encoding: 'utf8', maxBuffer: 1e8, env: { ...process.env, ...env } }
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (error?.code === 'ENOENT')
    throw new Error(`${program} is needed; on Debian, apt-get install ${packageOf(program)}`)
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`)
  return stdout
}
export const output = (...call) => run(...call).trim()

/** Options of tar for an archive that is the same each time. @param {number} epoch seconds, the date of every file */
export const sameBytes = (epoch) => [
  '--sort=name',
  `--mtime=@${epoch}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u=rwX,go=rX',
]

/** @throws {Error} that names every program that is missing, before anything is made. */
export function needPrograms(programs) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const isHere = (program) => folders.some((folder) => existsSync(join(folder, program)))
  const missing = [...new Set(programs)].filter((program) => !isHere(program))
  const packages = missing.map(packageOf).join(' ')
  if (missing.length > 0)
    throw new Error(`needs ${missing.join(', ')}; on Debian: apt-get install ${packages}`)
}

/** Debian's packages of the programs that are not called like theirs. */
const PACKAGES = { 'dpkg-deb': 'dpkg', mvn: 'maven', javac: 'default-jdk-headless' }
const packageOf = (program) => PACKAGES[program] ?? program

/** @throws {Error} with this sentence. */
export function agree(holds, sentence) {
  if (!holds) throw new Error(`not released: ${sentence}`)
}
