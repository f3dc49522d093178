/** The Debian package as a stranger uses it: `apt install` in a clean Debian, without Node.js and with one that came from anywhere. */
import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import {
  door,
  expectDemo,
  expectVisit,
  makeRelease,
  output,
  released,
  siteIn,
  starts,
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

test('a site, a visit, the files of the unit, and the end', async () => {
  const debian = new Debian()
  debian.addNode('usr/local/bin/node')
  debian.install()
  const config = '/etc/human-verification/config.yaml'
  const added = debian.said(`hv site add --hostname 127.0.0.1 --config ${config}`)
  const site = siteIn(join(debian.root, config), added)
  const service = await starts((port) => {
    const set = `HV_KEYRING=/var/lib/human-verification/keyring.json HV_CONFIG=${config}`
    return debian.inside(
      `${set} HV_LISTEN=127.0.0.1:${port} HV_OPS_LISTEN=127.0.0.1:0 exec hv serve`,
    )
  })
  await expectVisit(service.url, site)
  expect(await service.stop()).toContain('stopped')

  const unit = join(debian.root, 'lib/systemd/system/human-verification@.service')
  const named = readFileSync(unit, 'utf8').matchAll(/(?<==|\s|file:\/\/)\/usr\/\S+/g)
  const paths = [...named].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(3)
  expect(paths.filter((path) => !existsSync(join(debian.root, path)))).toEqual([])

  debian.said('apt purge --yes human-verification')
  const ours = ['usr/bin/hv', 'usr/lib/human-verification', 'var/lib/human-verification']
  expect(ours.filter((path) => existsSync(join(debian.root, path)))).toEqual([])
  expect(existsSync(join(debian.root, config))).toBe(true)
}, 240_000)

test('the third door of README.md leads to the demonstration', async () => {
  const debian = new Debian()
  debian.addNode('usr/local/bin/node')
  await expectDemo(debian.inside(door('apt install')), debian.root)
}, 240_000)
