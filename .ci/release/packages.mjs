/** The packages of npm, a zip of each plug-in, and the chart. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { agree, output, ROOT, run, sameBytes } from './run.mjs'

/** Members of package.json that only the repository needs. `scripts` too: npm would run or report them at every installation. */
const OURS = [
  'scripts',
  'devDependencies',
  'allowScripts',
  'workspaces',
  'prettier',
  'jest',
  'bundleDependencies',
]
/** Members that every package shares with the server's, unless it has its own. */
const SHARED = ['homepage', 'bugs', 'repository', 'keywords', 'publishConfig']
/** Results, pictures and pages belong to the repository; so does what an operator keeps in it. */
const FORBIDDEN =
  /^(docs|lab|test|src|widget)\/|\.(png|svg|map|tgz)$|keyring\.json$|(^|\/)\.env|^config\/(config\.yaml|sites\/)/

export async function makePackages({ packages, plugins, server, out, stage, epoch, version }) {
  for (const old of readdirSync(out).filter((file) => /\.(tgz|zip|tar\.gz)$/.test(file)))
    rmSync(join(out, old))
  // The dependants last, as they are published.
  for (const folder of [...packages.map((name) => join('packages', name)), '.'])
    await pack(folder, { out, stage, server })
  for (const name of plugins) zip(name, { out, stage, epoch, version })
  packChart({ out, stage, epoch, version })
}

async function pack(folder, { out, stage, server }) {
  const from = join(ROOT, folder)
  const listed = output('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: from })
  const [{ name, filename, files, bundled = [] }] = JSON.parse(listed)
  const wrong = files.find(({ path }) => FORBIDDEN.test(path))
  agree(wrong === undefined, `${name} would contain ${wrong?.path}`)
  agree(bundled.length === 0, `${name} would contain a copy of ${bundled.join(', ')}`)

  const to = join(stage, name)
  for (const { path } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(from, path), join(to, path))
    chmodSync(join(to, path), 0o644)
  }
  cpSync(join(ROOT, 'LICENSE'), join(to, 'LICENSE'))
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const member of SHARED) manifest[member] ??= server[member]
  if (folder !== '.') manifest.repository = { ...server.repository, directory: folder }
  for (const member of OURS) delete manifest[member]
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  for (const program of Object.values(manifest.bin ?? {})) chmodSync(join(to, program), 0o755)
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', out], { cwd: to })
  await check(manifest, to, join(out, filename))
}

/** @throws {Error} with all that publint and arethetypeswrong say of a package. */
async function check(manifest, folder, tarball) {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false })
  const { problems = [] } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  // `require` loads a package of ES modules from Node.js 20.19 on; older kinds of resolution do not find its entries.
  const modulesOnly = !JSON.stringify(manifest.exports).includes('"require"')
  const expected = ({ kind, resolutionKind }) =>
    modulesOnly && (kind === 'CJSResolvesToESM' || resolutionKind === 'node10')
  const wrong = [
    ...messages.map((message) => formatMessage(message, manifest)),
    ...problems.filter((problem) => !expected(problem)).map((problem) => JSON.stringify(problem)),
  ]
  agree(wrong.length === 0, `${manifest.name}:\n${wrong.join('\n')}`)
}

/** A plug-in of another program: its folder without tests, under the name that it is installed as. */
function zip(name, { out, stage, epoch, version }) {
  const file = join(out, `human-verification-${name}-${version}.zip`)
  const to = join(stage, 'zip')
  const folder = join('packages', name)
  const files = output('git', ['ls-files', folder])
    .split('\n')
    .map((path) => path.slice(folder.length + 1))
    .filter((path) => !/^(test|tests)\/|(^|\/)\.|^README\.md$/.test(path))
  for (const path of [...files, 'LICENSE']) {
    const copy = join(to, 'human-verification', path)
    mkdirSync(dirname(copy), { recursive: true })
    cpSync(path === 'LICENSE' ? join(ROOT, path) : join(ROOT, folder, path), copy)
    chmodSync(copy, 0o644)
    utimesSync(copy, epoch, epoch)
  }
  const list = [...files, 'LICENSE'].map((path) => `human-verification/${path}`)
  run('zip', ['-q', '-X', '-9', file, '-@'], { cwd: to, input: `${list.sort().join('\n')}\n` })
  describe(name, { file, out, version })
}

/**
 * Writes the description by which installed plug-ins learn of the release. packages/wordpress/includes/updates.php
 * reads it, and its signature, which the workflow of the release adds.
 */
function describe(name, { file, out, version }) {
  const readme = readFileSync(join(ROOT, 'packages', name, 'readme.txt'), 'utf8')
  const said = (head) => new RegExp(`^${head}: (.*)$`, 'm').exec(readme)[1]
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const home = repository.url.replace(/^git\+|\.git$/g, '')
  const description = {
    slug: 'human-verification',
    version,
    url: home,
    package: `${home}/releases/download/v${version}/${basename(file)}`,
    sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
    requires: said('Requires at least'),
    requires_php: said('Requires PHP'),
    tested: said('Tested up to'),
  }
  const text = `${JSON.stringify(description, undefined, 2)}\n`
  writeFileSync(join(out, `human-verification-${name}.json`), text)
}

/**
 * Packs the chart as `helm package` does: one folder with the chart's name, without what .helmignore names. It ends
 * with .tar.gz, since each .tgz of a release goes to npm.
 */
function packChart({ out, stage, epoch, version }) {
  const folder = 'deploy/chart'
  const ignored = readFileSync(join(ROOT, folder, '.helmignore'), 'utf8')
    .split('\n')
    .filter(Boolean)
  const isIgnored = (path) => ignored.some((each) => each.endsWith('/') && path.startsWith(each))
  const to = join(stage, 'chart')
  for (const listed of output('git', ['ls-files', folder]).split('\n')) {
    const path = listed.slice(folder.length + 1)
    if (isIgnored(path)) continue
    mkdirSync(dirname(join(to, 'human-verification', path)), { recursive: true })
    cpSync(join(ROOT, listed), join(to, 'human-verification', path))
  }
  const file = join(out, `human-verification-chart-${version}.tar.gz`)
  run('tar', [...sameBytes(epoch), '-I', 'gzip -9n', '-cf', file, '-C', to, 'human-verification'])
}
