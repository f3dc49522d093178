/** The Debian package as a stranger uses it: `apt install` in a clean Debian, without Node.js and with one that came from anywhere. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { needProgram } from '../support/programs.mjs'
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

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const base = join(newFolder(), 'base')
/** The name of the package's file, in the home of root. */
let deb = ''

beforeAll(() => {
  makeRelease('deb')
  const [file = ''] = released(/\.deb$/)
  deb = basename(file)
  bootstrap(base)
  cpSync(file, join(base, 'root', deb))
}, 600_000)

/** Makes a Debian. libstdc++6 is what Node.js needs beside the C library; sudo is in the command of README.md. */
function bootstrap(root: string, ...packages: string[]): void {
  const include = `--include=${['libstdc++6', 'sudo', ...packages].join()}`
  output('mmdebstrap', ['--quiet', '--variant=minbase', include, 'bookworm', root])
}

class Debian {
  readonly root = join(newFolder(), 'debian')
  readonly keyring = join(this.root, 'var/lib/human-verification/keyring.json')

  /** @param from what it is a copy of. */
  constructor(from = base) {
    output('cp', ['-a', from, this.root])
  }
  /** Returns what runs a line of the shell there, as root and with nothing set. */
  inside(line: string): readonly [program: string, ...args: string[]] {
    const shell = ['/bin/sh', '-c', `cd && exec 2>&1; ${line}`]
    return ['env', '-i', `PATH=${PATH}`, 'HOME=/root', 'chroot', this.root, ...shell]
  }
  said(line: string): string {
    const [program, ...args] = this.inside(`${line} || echo "exit code $?"`)
    return output(program, args)
  }
  install(): string {
    return this.said(`apt install --reinstall ./${deb}`)
  }
  addNode(path: string): void {
    cpSync(process.execPath, join(this.root, path))
  }
}

test.each(['usr/local/bin/node', 'usr/bin/node'])(
  'with Node.js as /%s apt makes a keyring, once',
  (node) => {
    const debian = new Debian()
    debian.addNode(node)
    expect(debian.install()).not.toMatch(/exit code|keyring/)
    expect(statSync(debian.keyring).mode.toString(8)).toBe('100600')
    const before = readFileSync(debian.keyring, 'utf8')
    expect(debian.install()).not.toContain('exit code')
    expect(readFileSync(debian.keyring, 'utf8')).toBe(before)
  },
  240_000,
)

test.each([
  { node: 'no Node.js', packages: undefined, says: 'there is none on PATH. Install Node.js 24' },
  { node: "bookworm's Node.js", packages: 'nodejs', says: 'this is 18.' },
])(
  'with $node apt installs it and says what is missing; the command that it names, or a reinstallation, makes the keyring',
  ({ packages, says }) => {
    if (packages !== undefined) bootstrap(`${base}-${packages}`, packages)
    const debian = new Debian(packages === undefined ? base : `${base}-${packages}`)
    cpSync(join(base, 'root', deb), join(debian.root, 'root', deb))
    const installed = debian.install()
    expect(installed).not.toContain('exit code')
    expect(installed).toContain(says)
    expect(existsSync(debian.keyring)).toBe(false)
    expect(debian.said('hv serve').trim().split('\n')).toEqual([
      expect.stringContaining(says),
      'exit code 1',
    ])

    const [, remedy = ''] = /^human-verification: no keyring was made.*: (hv keygen .+)$/m.exec(
      installed,
    )!
    debian.addNode('usr/local/bin/node')
    // As systemd gives it to the unit's user, also when `hv check` then ends the start.
    debian.said('install -d -m 0700 -o 1234 -g 1234 /var/lib/human-verification')
    expect(debian.said(remedy)).not.toContain('exit code')
    expect(statSync(debian.keyring)).toMatchObject({ uid: 1234, gid: 1234 })
    rmSync(debian.keyring)
    expect(debian.install()).not.toContain('exit code')
    expect(existsSync(debian.keyring)).toBe(true)
  },
  240_000,
)

const UNITS = ['human-verification@.service', 'hv-gate.service'] as const
const unitOf = (debian: Debian, name: string) =>
  readFileSync(join(debian.root, 'lib/systemd/system', name), 'utf8')
/** The command of an `ExecStartPost` as systemd runs it, for this port. */
const startPost = (unit: string, port: number): string =>
  /^ExecStartPost=(.+)$/m.exec(unit)![1]!.replaceAll(/%i|9465/g, String(port))

test('a site, a visit, the files of the units, and the end', async () => {
  const debian = new Debian()
  debian.addNode('usr/local/bin/node')
  debian.install()
  const config = '/etc/human-verification/config.yaml'
  const added = debian.said(`hv site add --hostname 127.0.0.1 --action sign-up --action gate --config ${config}`) // prettier-ignore
  const site = siteIn(join(debian.root, config), added)
  const service = await starts((port) => {
    const set = `HV_KEYRING=/var/lib/human-verification/keyring.json HV_CONFIG=${config}`
    return debian.inside(
      `${set} HV_LISTEN=127.0.0.1:${port} HV_OPS_LISTEN=127.0.0.1:0 exec hv serve`,
    )
  })
  await expectVisit(service.url, site)
  // systemd waits for this: it ends when the service answers.
  const servicePort = Number(new URL(service.url).port)
  expect(debian.said(startPost(unitOf(debian, UNITS[0]), servicePort))).toBe('')

  const gateFolder = join(debian.root, 'var/lib/hv-gate')
  mkdirSync(gateFolder)
  writeFileSync(join(gateFolder, 'gate-secret'), site.secret, { mode: 0o600 })
  expect(debian.said('cd /var/lib/hv-gate && hv-gate keygen gate-key.json')).toBe('')
  const [port, opsPort] = [await freePort(), await freePort()]
  const sample = join(debian.root, 'usr/share/doc/human-verification/examples/gate/hv-gate.yaml')
  const changed = readFileSync(sample, 'utf8')
    .replace('https://verify.example.com', service.url)
    .replace('www.example.com', '127.0.0.1')
    .replace('hv_site_AbCdEfGh', site.sitekey)
    .replace(/^gates:/m, `listen: 127.0.0.1:${port}\nops_listen: 127.0.0.1:${opsPort}\ngates:`)
  writeFileSync(join(gateFolder, 'hv-gate.yaml'), changed)
  expect(debian.said('cd /var/lib/hv-gate && hv-gate check')).toContain('no errors, 1 gate')
  const unit = unitOf(debian, UNITS[1])
  const start = /^ExecStart=(.+)$/m.exec(unit)![1]!
  const gate = await starts(() => debian.inside(`cd /var/lib/hv-gate && exec ${start}`), {}, port)
  expect(debian.said(startPost(unit, opsPort))).toBe('')
  const visitor = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7', 'sec-fetch-site': 'same-origin' } // prettier-ignore
  const response = await tokenOf(service.url, site.sitekey, 'gate')
  const body = new URLSearchParams({ 'svc-response': response, action: 'gate' })
  const pass = await fetch(`${gate.url}/.hv/pass`, { method: 'POST', body, headers: visitor })
  expect([pass.status, pass.headers.getSetCookie().length]).toEqual([204, 1])
  await gate.stop()
  expect(await service.stop()).toContain('stopped')

  for (const name of UNITS) {
    const named = unitOf(debian, name).matchAll(/(?<==|\s|file:\/\/)\/usr\/\S+/g)
    const paths = [...named].map(([path]) => path)
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.filter((path) => !existsSync(join(debian.root, path)))).toEqual([])
    expect(verified(debian, name)).toBe('')
  }

  debian.said('apt purge --yes human-verification')
  const ours = ['usr/bin/hv', 'usr/bin/hv-gate', 'usr/lib/human-verification'].concat(
    ['human-verification', 'hv-gate'].map((name) => `var/lib/${name}`),
  )
  expect(ours.filter((path) => existsSync(join(debian.root, path)))).toEqual([])
  expect(existsSync(join(debian.root, config))).toBe(true)
}, 240_000)

/** Returns what systemd says of a unit of that Debian, beside units that only a running one has. */
function verified({ root }: Debian, name: string): string {
  const instance = name.replace('@.', '@8080.')
  const { stdout, stderr } = spawnSync(
    needProgram('systemdAnalyze'),
    ['verify', `--root=${root}`, '--man=no', '--recursive-errors=no', instance],
    { encoding: 'utf8' },
  )
  return `${stdout}${stderr}`
}

test('an upgrade keeps the keyring and what stands beside it, of both programs', () => {
  const debian = new Debian()
  debian.addNode('usr/local/bin/node')
  debian.install()
  const key = readFileSync(debian.keyring, 'utf8')
  mkdirSync(join(debian.root, 'var/lib/hv-gate'))
  debian.said('hv-gate keygen /var/lib/hv-gate/gate-key.json')
  const next = join(newFolder(), 'next')
  output('dpkg-deb', ['-R', join(debian.root, 'root', deb), next])
  const control = join(next, 'DEBIAN/control')
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: /m, '$&9.'))
  output('dpkg-deb', ['--root-owner-group', '-Znone', '--build', next, join(debian.root, 'root/next.deb')]) // prettier-ignore
  expect(debian.said('apt install ./next.deb')).not.toContain('exit code')
  expect(debian.said("dpkg-query -W -f '${Version}' human-verification")).toMatch(/^9\./)
  expect(readFileSync(debian.keyring, 'utf8')).toBe(key)
  expect(existsSync(join(debian.root, 'var/lib/hv-gate/gate-key.json'))).toBe(true)
  expect(debian.said('hv-gate --help')).toContain('hv-gate serve')
}, 240_000)

test('the third door of README.md leads to the demonstration', async () => {
  const debian = new Debian()
  debian.addNode('usr/local/bin/node')
  await expectDemo(debian.inside(door('apt install')), debian.root)
}, 240_000)
