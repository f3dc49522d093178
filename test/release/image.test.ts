/**
 * The image as a runtime starts it: as its user, on a read-only root, with the volumes that docs/operate/install.md names. No
 * runtime runs everywhere that these tests do, so mount and chroot do what one does with the image's own settings.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import { ask, exchange, NAVIGATION, PROXIES, startSite } from '../support/gate.ts'
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

interface Image {
  readonly architecture: string
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly Labels: Readonly<Record<string, string>>
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

const folder = newFolder()
const [root, etc, keys, gateEtc] = ['root', 'etc', 'keys', 'gate'].map((name) =>
  join(folder, name),
) as [string, string, string, string]
const fileOf = (arch: string) => released(new RegExp(`-${arch}\\.oci\\.tar$`))[0]!
const inspect = (...args: string[]): unknown => JSON.parse(output('skopeo', ['inspect', ...args]))
const configOf = (arch: string) =>
  inspect('--config', '--raw', `oci-archive:${fileOf(arch)}`) as Image

beforeAll(() => {
  makeRelease('image')
  const layout = join(folder, 'layout')
  output('skopeo', ['copy', '--quiet', `oci-archive:${fileOf('amd64')}`, `dir:${layout}`])
  const { layers } = JSON.parse(readFileSync(join(layout, 'manifest.json'), 'utf8')) as {
    layers: { digest: string }[]
  }
  for (const path of [root, etc, gateEtc]) mkdirSync(path)
  for (const { digest } of layers)
    output('tar', ['-xzpf', join(layout, digest.replace('sha256:', '')), '-C', root])
  // What a runtime makes: the places of its mounts, and a new volume with owner and mode of the image's folder.
  for (const path of ['proc', 'dev']) mkdirSync(join(root, path))
  output('cp', ['-a', join(root, 'keys'), keys])
}, 600_000)

/** `docker run --read-only --network host`, with both volumes. @param command what replaces that of the image. */
function run(
  command: readonly string[],
  {
    entrypoint,
    env = [] as readonly string[],
  }: { entrypoint?: readonly string[]; env?: readonly string[] } = {},
) {
  const { config } = configOf('amd64')
  const script = `set -e; mount --bind ${root} ${root}; mount -o remount,bind,ro ${root}
    mount -t proc proc ${root}/proc; mount --rbind /dev ${root}/dev; mount --bind ${keys} ${root}/keys; mount -o bind,ro ${etc} ${root}/etc/hv; mount --bind ${gateEtc} ${root}/etc/hv-gate
    exec "$@"`
  const inside = ['chroot', `--userspec=${config.User}:${config.User}`, root]
  const program = [
    ...inside,
    '/bin/sh',
    '-c',
    'cd /app; exec "$@"',
    '-',
    ...(entrypoint ?? config.Entrypoint),
    ...command,
  ]
  return [
    'unshare',
    '--mount',
    '--',
    'sh',
    '-c',
    script,
    '-',
    'env',
    '-i',
    ...config.Env,
    ...env,
    ...program,
  ]
}
const said = ([program, ...args]: readonly string[]) => output(program!, args)
const listens = (port: number) => ({
  env: [`HV_LISTEN=127.0.0.1:${port}`, 'HV_OPS_LISTEN=127.0.0.1:0'],
})

test('it runs as its user, who can write to its volume alone', () => {
  const script =
    'id -u; ls -ldn /keys; for at in / /app /tmp /keys; do mkdir $at/new 2>&1 || true; done'
  const lines = said(run(['-c', script], { entrypoint: ['sh'] }))
    .trim()
    .split('\n')
  expect(lines[0]).toBe('1000')
  expect(lines[1]).toMatch(/^drwx------\s+\d+ 1000\s+1000/)
  expect(lines.slice(2).map((line) => / '(.+)': (.+)$/.exec(line)?.slice(1))).toEqual([
    ['//new', 'Read-only file system'],
    ['/app/new', 'Read-only file system'],
    ['/tmp/new', 'Read-only file system'],
  ])
})

test('a key, a site, a visit, its health check, and the end', async () => {
  said(run(['keygen']))
  const file = join(etc, 'config.yaml')
  // On the host, as documented: the folder is read-only in the container.
  const add = ['site', 'add', '--hostname', '127.0.0.1', '--config', file]
  const printed = output(process.execPath, [join(ROOT, 'dist/main.js'), ...add])
  const site = siteIn(file, printed)
  const service = await starts((port) => run(configOf('amd64').config.Cmd, listens(port)))
  await expectVisit(service.url, site)
  const [, ...check] = configOf('amd64').config.Healthcheck.Test.map((word) =>
    word.replace('http://127.0.0.1:8080', service.url),
  )
  expect(said(run([], { entrypoint: check }))).toBe('')
  expect(await service.stop()).toContain('stopped')
}, 120_000)

test('as a gate behind nginx: its key, its configuration, a visitor without a clearance and with one', async () => {
  output('chown', ['1000:1000', gateEtc])
  said(run(['gate', 'keygen', 'gate-key.json']))
  said(run(['keygen']))
  const file = join(etc, 'gate.yaml')
  const add = ['site', 'add', '--hostname', '127.0.0.1', '--action', 'gate', '--config', file]
  const printed = output(process.execPath, [join(ROOT, 'dist/main.js'), ...add])
  const { sitekey, secret } = siteIn(file, printed)
  const service = await starts((port) => {
    const { env } = listens(port)
    return run(['serve'], { env: [...env, 'HV_CONFIG=/etc/hv/gate.yaml'] })
  })
  writeFileSync(join(gateEtc, 'secret'), `${secret}\n`, { mode: 0o600 })
  output('chown', ['1000:1000', join(gateEtc, 'secret')])
  const gate = await starts((port) => {
    const config = {
      version: 1,
      service: service.url,
      listen: `[::]:${port}`,
      ops_listen: '127.0.0.1:0',
      key_file: 'gate-key.json',
      gates: [{ hosts: ['127.0.0.1'], sitekey, secret_file: 'secret' }],
    }
    writeFileSync(join(gateEtc, 'hv-gate.yaml'), JSON.stringify(config))
    return run(['gate', 'serve'])
  })
  expect(said(run(['gate', 'check']))).toContain('no errors, 1 gate')
  const site = await startSite()
  const nginx = await PROXIES.nginx(new URL(gate.url).host, site.host)
  const [refused, robots] = [await ask(nginx.url, '/', NAVIGATION), await ask(nginx.url, '/robots.txt')] // prettier-ignore
  expect([refused.status, robots.status, site.at('/')]).toEqual([403, 200, []])
  const passed = await exchange(nginx.url, await tokenOf(service.url, sitekey, 'gate'))
  const shown = await ask(nginx.url, '/', { ...NAVIGATION, cookie: passed.cookie })
  expect([passed.status, shown.status]).toEqual([204, 200])
  await gate.stop()
  expect(await service.stop()).toContain('stopped')
}, 120_000)

test('by variables alone it makes a key and a first site, once', async () => {
  const env = [
    'HV_CONFIG=/keys/first.yaml',
    'HV_KEYRING=/keys/first.json',
    'SITE_HOSTNAME=127.0.0.1',
    'SITE_PROXIES=10.0.0.0/8, 192.0.2.0/24',
  ]
  const begin = () => starts((port) => run(['serve'], { env: [...listens(port).env, ...env] }))
  const first = await begin()
  await first.stop()
  const made = readFileSync(join(keys, 'first.yaml'), 'utf8')
  expect(made).toMatch(/hostnames:[^]*127\.0\.0\.1[^]*^trusted_proxies: \[10\.0\.0\.0\/8, 192/m)
  const second = await begin()
  await second.stop()
  expect(readFileSync(join(keys, 'first.yaml'), 'utf8')).toBe(made)
}, 120_000)

test('the second door of README.md leads to the demonstration, in a network of its own with these ports', async () => {
  const [, options, command = ''] = /^docker run (.+) \S+\/human-verification:[\d.]+ (.+)$/.exec(
    door('ghcr.io'),
  )!
  const [, fromClone] = / && docker run (.+) human-verification demo$/.exec(door('docker build'))!
  expect(fromClone).toBe(options)
  // What `run` and the namespaces of `expectDemo` stand for.
  expect(options).toMatch(/^--rm( -p \d+:\d+)+$/)
  const ports = [...options!.matchAll(/-p (\S+)/g)].map(([, pair]) => pair!)
  await expectDemo(run(command.split(' ')), folder, ports)
}, 120_000)

test('with ports of other numbers the demonstration takes the address that browsers know', async () => {
  const command = ['demo', '--service-url', 'http://127.0.0.1:9080']
  await expectDemo(run(command), folder, ['9080:8080', '8081:8081'])
}, 120_000)

test('labels and annotations name version and commit; the two images differ in nothing else than their architecture', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  const [amd64, arm64] = [configOf('amd64'), configOf('arm64')]
  expect([amd64.architecture, arm64.architecture]).toEqual(['amd64', 'arm64'])
  expect(arm64.config).toEqual(amd64.config)
  const { annotations } = inspect('--raw', `oci-archive:${fileOf('arm64')}`) as {
    annotations: Image['config']['Labels']
  }
  expect(annotations).toEqual(amd64.config.Labels)
  expect(annotations).toMatchObject({
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': output('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).trim(),
  })
})
