/** The two programs as image and .deb contain them: the packed server and gate with the run-time packages of the lock file, and their bill of materials. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { output, ROOT, run } from './run.mjs'

/** Folders of the packed server that only whoever installs it from npm can use. */
const SAMPLES = ['deploy', 'config/folder.example']

export function makeApp({ out, stage, epoch, packages }) {
  const app = join(stage, 'app')
  const locked = join(stage, 'locked')
  // By the lock file, so the manifests must be as it knows them.
  for (const file of [
    'package.json',
    'package-lock.json',
    ...packages.map((name) => `packages/${name}/package.json`),
  ])
    cpSync(join(ROOT, file), join(locked, file))
  run(
    'npm',
    ['ci', '--omit=dev', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: locked },
  )
  cpSync(join(stage, '@human-verification/server'), app, { recursive: true })
  renameSync(join(locked, 'node_modules'), join(app, 'node_modules'))
  for (const name of ['@human-verification/client', '@human-verification/gate'])
    cpSync(join(stage, name), join(app, 'node_modules', name), { recursive: true })
  // So that npm counts the gate in: its own dependencies are among the server's.
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'))
  manifest.dependencies['@human-verification/gate'] = manifest.version
  writeFileSync(join(app, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)

  writeFileSync(join(app, 'sbom.cdx.json'), billOfMaterials(app, epoch))
  cpSync(join(app, 'sbom.cdx.json'), join(out, 'sbom.cdx.json'))
  for (const folder of SAMPLES) rmSync(join(app, folder), { recursive: true })
  removeClutter(join(app, 'node_modules'))
}

/** By npm itself, of what is really there. Its random number and the time of day are replaced by what the commit determines. */
function billOfMaterials(app, epoch) {
  const bill = JSON.parse(output('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: app }))
  bill.metadata.timestamp = new Date(epoch * 1000).toISOString()
  delete bill.serialNumber
  const hex = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const uuid = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5')
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${uuid}` }, undefined, 2)}\n`
}

/** Removes what no program reads: settings of editors and checkers, and npm's own notes, in any package. */
function removeClutter(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('.')) rmSync(path, { recursive: true })
    else if (lstatSync(path).isDirectory()) removeClutter(path)
  }
}
