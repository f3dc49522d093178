import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The package of other people's programs; none of it is ours, and none of it is shipped. */
export const FOLDER = import.meta.dirname

/** Installs what the lockfile names, if any of it is not there. @throws {Error} when the registry cannot be reached. */
export function installThirdParty(): void {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const isThere = ([name, version]: [string, string]): boolean =>
    existsSync(join(FOLDER, 'node_modules', name, 'package.json')) && version.endsWith(versionOf(name))
  if (Object.entries(dependencies).every(isThere)) return
  process.stderr.write('test/published/drop-in installs its packages from the npm registry\n')
  const args = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr.slice(-500)}`)
}

export function versionOf(name: string): string {
  const text = readFileSync(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** What a library made of one token. */
export interface Outcome {
  readonly accepted: boolean
  /** In its own words. */
  readonly said: string
}

export interface Question {
  /** Of siteverify. */
  readonly url: string
  readonly cases: readonly { readonly secret: string; readonly response: string }[]
  readonly [more: string]: unknown
}

/** Runs one of the scripts of this folder; it answers with one line of JSON, whatever else it says. */
export async function ask(program: string, script: string, question: Question): Promise<readonly Outcome[]> {
  const { stdout } = await promisify(execFile)(program, [join(FOLDER, script), JSON.stringify(question)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
    cwd: FOLDER,
    timeout: 60_000,
  })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as readonly Outcome[]
}
