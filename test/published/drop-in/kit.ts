import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './third-party.ts'

const ROOT = join(FOLDER, '../../..')
const { version, name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, string>

/** The customers' package, as `npm run build:client` makes it. */
export const TARBALL = join(ROOT, `build/human-verification-client-${version!}.tgz`)
export const KIT = name!

/** Packs it of the built service. */
export const packKit = (): void =>
  void execFileSync(process.execPath, [join(ROOT, 'packages/client/build.mjs')], { stdio: 'pipe' })

/** Unpacks it among this folder's packages, as `npm install` does. */
export function installKit(): void {
  packKit()
  const folder = join(FOLDER, 'node_modules', KIT)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', TARBALL, '--strip-components=1', '-C', folder])
}
