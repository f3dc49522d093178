import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The package of other people's programs; none of it is ours, and none of it is shipped. */
export const FOLDER = import.meta.dirname

/** Installs what the lockfile of a folder names, if any of it is not there. @throws {Error} when the registry cannot be reached. */
export function install(folder: string): void {
  const versionOf = (path: string): string =>
    (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const isThere = ([name, version]: [string, string]): boolean => {
    const path = join(folder, 'node_modules', name, 'package.json')
    return existsSync(path) && version.endsWith(versionOf(path))
  }
  if (Object.entries(dependencies).every(isThere)) return
  process.stderr.write(`${folder}: npm ci\n`)
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr.slice(-500)}`)
}
export const installThirdParty = (): void => install(FOLDER)

/** The customers' package. */
export const KIT = '@human-verification/client'
const BUILD = join(FOLDER, '../../../build')
export const TARBALL = join(BUILD, 'human-verification-client-0.1.0.tgz')

/** Packs the customers' package and unpacks it among this folder's packages, as `npm install` does. */
export function installKit(): void {
  const folder = join(FOLDER, 'node_modules', KIT)
  rmSync(folder, { recursive: true, force: true })
  for (const each of [BUILD, folder]) mkdirSync(each, { recursive: true })
  execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--pack-destination', BUILD, `--workspace=${KIT}`],
    {
      cwd: join(FOLDER, '../../..'),
      stdio: 'pipe',
    },
  )
  execFileSync('tar', ['-xzf', TARBALL, '--strip-components=1', '-C', folder])
}

/** Compiles a program as a customer's strict compiler does, in a folder that finds its types. @returns its messages. */
export function compile(folder: string, file: string, text: string, options: object): string {
  const strict = { strict: true, exactOptionalPropertyTypes: true, target: 'es2022', noEmit: true }
  writeFileSync(join(folder, file), text)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }),
  )
  const tsc = join(FOLDER, '../../../node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
}

/** A module of this folder, with all that it imports, as one script. @throws {Error} with the compiler's messages. */
export function bundle(source: string): string {
  const done = spawnSync(process.execPath, ['bundle.mjs'], {
    input: source,
    cwd: FOLDER,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (done.status !== 0) throw new Error(done.stderr)
  return done.stdout
}

/** A script in a page, as an address: in a page's text, `<!--` and `</script` of a program would end it. */
export const inPage = (script: string): string =>
  `<script src="data:text/javascript;base64,${Buffer.from(script).toString('base64')}"></script>`

/** A module that starts a component of Angular. @param imports of more packages. @param classes in TypeScript’s or JavaScript’s words. */
export const angular = (
  imports: string,
  component: string,
  classes = '',
): string => `import '@angular/compiler'
  import { Component, provideZonelessChangeDetection, signal } from '@angular/core'
  import { bootstrapApplication } from '@angular/platform-browser'
  ${imports}
  ${classes}
  void bootstrapApplication(${component}, { providers: [provideZonelessChangeDetection()] })`

/** What a library made of one token. */
export interface Outcome {
  readonly accepted: boolean
  readonly said: string
}

export interface Question {
  readonly url: string
  readonly cases: readonly { readonly secret: string; readonly response: string }[]
  readonly [more: string]: unknown
}

/** Runs one of the scripts of this folder; it prints one line of JSON, among other lines. */
export async function ask(
  program: string,
  script: string,
  question: Question,
): Promise<readonly Outcome[]> {
  const { stdout } = await promisify(execFile)(
    program,
    [join(FOLDER, script), JSON.stringify(question)],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
      cwd: FOLDER,
      timeout: 60_000,
    },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as readonly Outcome[]
}
