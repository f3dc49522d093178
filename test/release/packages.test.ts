/** The packages of npm as a stranger uses them: installed from their files into an empty folder. */
import { execFile, spawnSync } from 'node:child_process'
import { generateKeyPairSync, verify } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { findProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import {
  door,
  expectDemo,
  expectVisit,
  makeRelease,
  output,
  released,
  siteIn,
  starts,
  tokenOf,
} from './stranger.ts'

const folder = newFolder()
const npm = (...args: string[]) => output('npm', args, { cwd: folder })
let installation = ''

beforeAll(() => {
  makeRelease('packages')
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const install = `npm install --prefer-offline --no-audit express ${released(/\.tgz$/).join(' ')} 2>&1`
  // Without npm's settings of whoever runs this, such as `--silent`.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  installation = output('sh', ['-c', install], { cwd: folder, env })
}, 300_000)

test('npm reports no script of ours, and installs nothing of ours twice', () => {
  expect(installation).toMatch(/^\s*added \d+ packages/)
  const ours = readdirSync(join(folder, 'node_modules/@human-verification'))
  for (const name of ours) {
    const manifest = readFileSync(
      join(folder, 'node_modules/@human-verification', name, 'package.json'),
      'utf8',
    )
    expect(JSON.parse(manifest)).not.toHaveProperty('scripts')
  }
  const paths = Object.keys(
    JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages as object,
  )
  expect(paths.filter((path) => path.includes('@human-verification/'))).toHaveLength(ours.length)
})

test('a site, a visit, a visit to a site behind the gate, and the end, by the installed commands', async () => {
  const printed = npm(
    'exec',
    '--',
    'hv',
    'site',
    'add',
    '--hostname',
    '127.0.0.1',
    '--config',
    'hv.yaml',
  )
  const site = siteIn(join(folder, 'hv.yaml'), printed)
  const service = await starts(() => ['node_modules/.bin/hv', 'serve', '--config', 'hv.yaml'], {
    cwd: folder,
  })
  await expectVisit(service.url, site)

  npm('exec', '--', 'hv-gate', 'keygen', 'key.json')
  writeFileSync(join(folder, 'secret'), site.secret, { mode: 0o600 })
  const gate = await starts(
    (port) => {
      const gates = [{ hosts: ['127.0.0.1'], sitekey: site.sitekey, secret_file: 'secret' }]
      const listens = {
        listen: `127.0.0.1:${port}`,
        ops_listen: '127.0.0.1:0',
        key_file: 'key.json',
      }
      const config = { version: 1, service: service.url, ...listens, gates }
      writeFileSync(join(folder, 'hv-gate.yaml'), JSON.stringify(config))
      return ['node_modules/.bin/hv-gate', 'serve']
    },
    { cwd: folder },
  )
  const proxy = {
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '192.0.2.7',
    'sec-fetch-site': 'same-origin',
  }
  const check = async (cookie: string) => {
    const told = {
      'x-original-uri': '/',
      'x-original-method': 'GET',
      'x-forwarded-host': '127.0.0.1',
    }
    return (await fetch(`${gate.url}/check/nginx`, { headers: { ...proxy, ...told, cookie } }))
      .status
  }
  const fields = {
    'svc-response': await tokenOf(service.url, site.sitekey, 'gate'),
    action: 'gate',
  }
  const pass = { method: 'POST', body: new URLSearchParams(fields), headers: proxy }
  const [cookie = ''] = (await fetch(`${gate.url}/.hv/pass`, pass)).headers.getSetCookie()
  expect([await check(''), await check(cookie.split(';')[0]!)]).toEqual([401, 204])
  await gate.stop()
  expect(await service.stop()).toContain('stopped')
}, 120_000)

test('the first door of README.md leads to the demonstration', async () => {
  // From the packages of this folder: the network has no registry.
  await expectDemo(['sh', '-c', door('npx')], folder)
}, 120_000)

test('docs/start/coding-agents.md works, block by block', async () => {
  const page = readFileSync(join(ROOT, 'docs/start/coding-agents.md'), 'utf8')
  const [service, port] = [await freePort(), await freePort()]
  const env = { ...process.env, npm_config_offline: 'true' }
  mkdirSync(join(folder, 'public'))
  const outputs: [said: string, written: string][] = []
  let printed = ''
  for (const [, head = '', block = ''] of page.matchAll(/^```(.*)\n([^]*?)^```$/gm)) {
    const text = block.replaceAll('8082', String(service)).replace('3000', String(port))
    const [, file] = /file=(\S+)/.exec(head) ?? []
    if (file !== undefined) writeFileSync(join(folder, file), text)
    else if (head === 'text output') outputs.push([printed, text])
    else if (head === 'sh')
      printed = await promisify(execFile)('sh', ['-c', text], { cwd: folder, env }).then(
        (ended) => ended.stdout,
      )
    else await starts(() => ['sh', '-c', text], { cwd: folder, env }, service)
  }
  expect(outputs.map(([said]) => said)).toEqual(outputs.map(([, written]) => written))
  expect(printed).toContain('accepted 200')
}, 120_000)

test('the zip of the WordPress plug-in is the folder that the tests of the plug-in install, file for file', () => {
  output('unzip', ['-q', released(/-wordpress-.*\.zip$/)[0]!, '-d', folder])
  const other = ['--exclude=test', '--exclude=README.md', '--exclude=LICENSE']
  const [ours, theirs] = [join(ROOT, 'packages/wordpress'), join(folder, 'human-verification')]
  expect(output('diff', ['--recursive', ...other, ours, theirs])).toBe('')
})

test('the chart is the folder that its tests render, without their values', () => {
  const unpacked = join(folder, 'chart')
  mkdirSync(unpacked)
  output('tar', ['-xzf', released(/-chart-.*\.tar\.gz$/)[0]!, '-C', unpacked])
  // helm expects the name of the chart.
  expect(readdirSync(unpacked)).toEqual(['human-verification'])
  const both = [join(ROOT, 'deploy/chart'), join(unpacked, 'human-verification')]
  expect(output('diff', ['--recursive', '--exclude=ci', ...both])).toBe('')
  const helm = findProgram('helm')
  if (helm === undefined) return
  const [ours, theirs] = [both[0]!, released(/-chart-/)[0]!].map((chart) =>
    output(helm, ['template', 'verify', chart]),
  )
  expect(theirs).toBe(ours)
})

test('the workflow signs the description of the plug-in as the plug-in expects it', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
  const [sign = ''] = /^ +cd release && openssl [^]*?\.sig$/m.exec(workflow)!
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const at = newFolder()
  mkdirSync(join(at, 'release'))
  writeFileSync(join(at, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  cpSync(released(/-wordpress\.json$/)[0]!, join(at, 'release/human-verification-wordpress.json'))
  output('sh', ['-c', sign], { cwd: at, env: { ...process.env, RUNNER_TEMP: at } })
  const [text, signature] = ['json', 'json.sig'].map((end) =>
    readFileSync(join(at, 'release', `human-verification-wordpress.${end}`)),
  )
  const bytes = Buffer.from(signature!.toString(), 'base64')
  expect(verify(null, text!, publicKey, bytes)).toBe(true)
})

test('the rehearsal of publishing names every file, the client before what depends on it, by the commands of the workflow', async () => {
  const { publication } = (await import(`${ROOT}/.ci/release/publish.mjs`)) as {
    publication: (release: object, files: string[]) => { file: string; to: string; by: string }[]
  }
  const server = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object
  const files = readdirSync(join(ROOT, 'build/release'))
  const rows = publication({ version: '1.2.3', server }, files)
  const onPage = rows.filter(({ to }) => to.includes('/releases/')).map(({ file }) => file)
  expect(onPage).toEqual([...files, 'human-verification-wordpress.json.sig'])
  const atNpm = rows.filter(({ to }) => to.includes('npmjs')).map(({ file }) => file)
  expect([atNpm.length, atNpm[0]]).toEqual([3, expect.stringContaining('-client-')])
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
  for (const command of ['npm publish', 'buildah manifest push --all hv', 'gh release create'])
    expect(workflow).toContain(command)
})

test('a release names every program that is missing, before its first step', () => {
  const program = join(ROOT, '.ci/release/release.mjs')
  const { stderr } = spawnSync(process.execPath, [program], {
    env: { PATH: newFolder() },
    encoding: 'utf8',
  })
  expect(stderr).toContain(
    'needs git, npm, tar, zip, mmdebstrap, buildah, skopeo, dpkg-deb, lintian, mvn, javac; on Debian: apt-get install git',
  )
})

/** Replaces what follows the first words of a line. */
const edit = (file: string, begin: string, rest: string) =>
  `sed -i 's/^${begin}.*/${begin}${rest}/' ${file}`
test.each([
  [
    'client has version 9.9.9',
    'a package differs',
    edit('packages/client/package.json', '  "version": ', '"9.9.9",'),
  ],
  [
    'readme.txt has version 9.9.9',
    'a plug-in differs',
    edit('packages/wordpress/readme.txt', 'Stable tag: ', '9.9.9'),
  ],
  [
    'Chart.yaml has version 9.9.9',
    'the chart differs',
    edit('deploy/chart/Chart.yaml', 'appVersion: ', '9.9.9'),
  ],
  [
    'README.md has version 9.9.9',
    'a command of README.md differs',
    "sed -i 's/verification_[0-9.]*_all/verification_9.9.9_all/' README.md",
  ],
  [
    'CHANGELOG.md begins with "9.9.9 (',
    'it differs',
    edit('CHANGELOG.md', '## ', '9.9.9 (2026-01-01)'),
  ],
  ['the tag is v9.9.9', 'the tag differs', 'git tag v9.9.9'],
  [
    'expected a date',
    'the tag has none',
    `${edit('CHANGELOG.md', '## ', '$V (unreleased)')}; git tag v$V`,
  ],
])('the release stops with "%s" when %s', (says, _when, change) => {
  const copy = newFolder()
  const packages = ['client', 'gate', 'keycloak', 'wordpress'].map((name) => `packages/${name}`)
  const others = ['.ci/release', 'CHANGELOG.md', 'README.md', 'deploy']
  for (const path of [...others, 'package.json', ...packages])
    cpSync(join(ROOT, path), join(copy, path), {
      recursive: true,
      filter: (from) => !/node_modules|dist$/.test(from),
    })
  const ask = `node --input-type=module --eval "import { releaseOf } from './.ci/release/agree.mjs'; console.log(releaseOf({ strict: true }).version)"`
  const commit =
    'git init -q && git add -A && git -c user.name=n -c user.email=e@example.com commit -qm made'
  const version = output('sh', ['-c', `${commit} && ${ask}`], { cwd: copy }).trim()
  const { stderr } = spawnSync('sh', ['-c', `${change.replaceAll('$V', version)} && ${ask}`], {
    cwd: copy,
    encoding: 'utf8',
  })
  expect(stderr).toContain('not released: ')
  expect(stderr).toContain(says)
})
