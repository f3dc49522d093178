/**
 * Makes what a release consists of, in build/release/, and publishes nothing:
 *
 *   npm run release                everything, each file made anew
 *   npm run release -- packages    only these parts: packages, image, deb, keycloak
 *   npm run release -- --dry-run   the same, then npm's own dry run, and a list of what would go where
 *
 * It stops at the first thing that does not agree. The same commit gives the same bytes: dates are the commit's.
 * docs/contribute/maintain.md, "Publishing"
 */
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changesOf, releaseOf } from './agree.mjs'
import { makeApp } from './app.mjs'
import { makeDeb } from './deb.mjs'
import { makeImages } from './image.mjs'
import { makeProvider } from './keycloak.mjs'
import { makePackages } from './packages.mjs'
import { rehearse } from './publish.mjs'
import { needPrograms, output, ROOT, run } from './run.mjs'

const PARTS = ['packages', 'image', 'deb', 'keycloak']
const OUT = join(ROOT, 'build/release')

const isRehearsal = process.argv.includes('--dry-run')
const asked = process.argv.slice(2).filter((word) => word !== '--dry-run')
const unknown = asked.find((part) => !PARTS.includes(part))
if (unknown !== undefined)
  throw new Error(`usage error: expected ${PARTS.join(', ')}, got ${unknown}`)
const all = asked.length === 0
const makes = (part) => all || asked.includes(part)

needPrograms([
  'git',
  'npm',
  'tar',
  ...(makes('packages') ? ['zip'] : []),
  ...(makes('image') ? ['mmdebstrap', 'buildah', 'skopeo', 'dpkg-deb'] : []),
  ...(makes('deb') ? ['dpkg-deb', 'lintian'] : []),
  ...(makes('keycloak') ? ['mvn', 'javac'] : []),
])
const stage = mkdtempSync(join(tmpdir(), 'hv-release-'))
process.on('exit', () => rmSync(stage, { recursive: true, force: true }))
// What is made must not depend on who makes it.
process.umask(0o022)
process.env['TZ'] = 'UTC'
process.env['SOURCE_DATE_EPOCH'] = output('git', ['log', '-1', '--format=%ct'])

const release = releaseOf({ strict: all })
if (process.env['HV_BUILD'] !== 'no') {
  // A file whose source is gone would stay in them.
  const built = release.packages.flatMap((name) => [`packages/${name}/dist`, `build/${name}`])
  for (const old of ['dist', 'build/src.tsbuildinfo', ...built])
    rmSync(join(ROOT, old), { recursive: true, force: true })
  run('npm', ['run', '--silent', 'build'])
}
if (all) rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })

const context = { ...release, out: OUT, stage, epoch: Number(process.env['SOURCE_DATE_EPOCH']) }
// Image and .deb are made of the packages.
const hasProgram = makes('image') || makes('deb')
const steps = [
  { name: 'packages', make: makePackages, isMade: makes('packages') || hasProgram },
  { name: 'app and bill of materials', make: makeApp, isMade: hasProgram },
  { name: 'image', make: makeImages, isMade: makes('image') },
  { name: 'deb', make: makeDeb, isMade: makes('deb') },
  { name: 'keycloak', make: makeProvider, isMade: makes('keycloak') },
]
for (const { name, make, isMade } of steps) {
  if (!isMade) continue
  const start = performance.now()
  await make(context)
  console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
}
if (all) writeFileSync(join(OUT, 'RELEASE_NOTES.md'), changesOf(release))

const sumOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
const files = readdirSync(OUT)
  .filter((file) => file !== 'SHA256SUMS')
  .sort()
writeFileSync(
  join(OUT, 'SHA256SUMS'),
  files.map((file) => `${sumOf(join(OUT, file))}  ${file}\n`).join(''),
)
for (const file of [...files, 'SHA256SUMS'])
  console.log(`${String(statSync(join(OUT, file)).size).padStart(11)}  build/release/${file}`)
if (isRehearsal) rehearse(release, OUT, [...files, 'SHA256SUMS'])
