import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './third-party.ts'

const CLIENT = join(FOLDER, '../../../packages/client')
const { version, name } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8')) as Record<string, string>

/** The customers' package, as `npm pack` makes it. */
export const KIT = name!
const BUILD = join(FOLDER, '../../../build')
export const TARBALL = join(BUILD, `human-verification-client-${version!}.tgz`)

/** Packs what is built. */
export function packKit(): void {
  mkdirSync(BUILD, { recursive: true })
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', BUILD], { cwd: CLIENT, stdio: 'pipe' })
}

/** Unpacks it among this folder's packages, as `npm install` does. */
export function installKit(): void {
  packKit()
  const folder = join(FOLDER, 'node_modules', KIT)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', TARBALL, '--strip-components=1', '-C', folder])
}
