/** The Debian package as a stranger uses it: `dpkg -i` in a clean Debian, without Node.js and with one that came from anywhere. */
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
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

const root = newFolder()
const CHROOT = ['env', '-C', '/', 'chroot', root, '/bin/sh', '-c']
const inside = (...command: string[]) => [...CHROOT, `exec 2>&1; ${command.join(' ')}`]
const said = (...command: string[]): string => {
  const [program, ...args] = inside(...command, '|| echo "exit code $?"')
  return output(program!, args)
}

beforeAll(() => {
  makeRelease('deb')
  // libstdc++6 is what Node.js needs beside the C library.
  output('mmdebstrap', ['--quiet', '--variant=minbase', '--include=libstdc++6', 'bookworm', root])
  cpSync(released(/\.deb$/)[0]!, join(root, 'human-verification.deb'))
}, 600_000)

test('without Node.js it can be installed, and hv reports what is missing', () => {
  expect(said('dpkg', '-i', '/human-verification.deb')).not.toContain('exit code')
  expect(said('hv', 'serve').trim().split('\n')).toEqual([
    expect.stringMatching(
      /^hv: human-verification needs Node\.js \^20\.19 \|\| >=22\.12, and there is none on PATH\. Install/,
    ),
    'exit code 1',
  ])
})

test('with Node.js: its own key, a site, a visit, the end', async () => {
  cpSync(process.execPath, join(root, 'usr/local/bin/node'))
  expect(said('dpkg', '-i', '/human-verification.deb')).not.toContain('exit code')
  const keyring = join(root, 'var/lib/human-verification/keyring.json')
  expect(statSync(keyring).mode.toString(8)).toBe('100600')
  const config = '/etc/human-verification/config.yaml'
  const site = siteIn(
    join(root, config),
    said('hv', 'site', 'add', '--hostname', '127.0.0.1', '--config', config),
  )
  const env = { HV_KEYRING: '/var/lib/human-verification/keyring.json', HV_CONFIG: config }
  const service = await starts(() => inside('exec', 'hv', 'serve'), { env })
  await expectVisit(service.url, site)
  expect(await service.stop()).toContain('stopped')
  const before = readFileSync(keyring, 'utf8')
  expect(said('dpkg', '-i', '/human-verification.deb')).not.toContain('exit code')
  expect(readFileSync(keyring, 'utf8')).toBe(before)
}, 180_000)

test('the third door of README.md leads to the demonstration', async () => {
  const [, command = ''] = /&& (.+)$/.exec(door('sudo apt install'))!
  const demo = await starts((_, other) =>
    inside('exec', command, '--site-listen', `127.0.0.1:${other}`),
  )
  await expectDemo(demo)
  await demo.stop()
}, 120_000)

test('its unit names files that are there', () => {
  const unit = readFileSync(join(root, 'lib/systemd/system/human-verification@.service'), 'utf8')
  const paths = [...unit.matchAll(/(?<==|\s|file:\/\/)\/usr\/\S+/g)].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(3)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('purge leaves nothing of it but the configuration', () => {
  said('dpkg', '--purge', 'human-verification')
  const paths = ['usr/bin/hv', 'usr/lib/human-verification', 'var/lib/human-verification']
  expect(paths.filter((path) => existsSync(join(root, path)))).toEqual([])
  expect(existsSync(join(root, 'etc/human-verification/config.yaml'))).toBe(true)
})
