/** docker-compose.yml and Dockerfile: the schema of the format, and what a wrong line would open. Their processes run in test/world/instances. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/settings/load.ts'
import { composeErrors } from '../../support/compose-schema.ts'
import { findProgram } from '../../support/programs.mjs'
import { ROOT } from '../../support/root.ts'

interface Service {
  readonly image: string
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly read_only?: boolean
  readonly networks?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
}

const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  networks: { ledger: { internal: boolean }; inside: { ipam: { config: { subnet: string }[] } } }
  volumes: Record<string, unknown>
}
const { services } = compose
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

test('docker-compose.yml is valid', () => {
  expect(composeErrors(compose)).toBeNull()
})

test('every file that is mounted or copied exists', () => {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.map((each) => each.split(':')[0]!),
  )
  const isThere = (from: string) =>
    from.startsWith('.') ? existsSync(join(ROOT, from)) : from in compose.volumes
  expect(mounted.filter((from) => !isThere(from))).toEqual([])
  const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  )
  const inContext = (from: string) =>
    from.split('/').some((_, i, parts) => ignore.includes(`!${parts.slice(0, i + 1).join('/')}`))
  expect(copied.filter((from) => !existsSync(join(ROOT, from)) || !inContext(from))).toEqual([])
})

test('only Caddy is reachable from other machines', () => {
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => [name, port]),
  )
  const open = published.filter(([, port]) => !port!.startsWith('127.0.0.1:')).map(([name]) => name)
  expect(new Set(open)).toEqual(new Set(['caddy']))
})

test('only the service and the Sentinels can reach Redis', () => {
  const members = Object.keys(services).filter((name) =>
    services[name]!.networks?.includes('ledger'),
  )
  expect(
    members.filter((name) => !/^(verify|redis|redis-replica|sentinel-\d)$/.test(name)),
  ).toEqual([])
  expect(compose.networks.ledger.internal).toBe(true)
})

test.each(Object.entries(services))(
  '%s has minimal rights and a log that is rotated',
  (_name, service) => {
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
    // `keys` writes to its volume alone, and has no network.
    expect(service.read_only === true || service.volumes?.join() === 'keys:/keys').toBe(true)
    expect(service.image === 'human-verification' || /:v?\d/.test(service.image)).toBe(true)
  },
)

test.each(['config.yaml', 'sentinel.yaml'])(
  '%s loads and trusts the network of the balancer',
  (file) => {
    // Without the container's environment: `hv check` and `hv site` on the host have none.
    const config = loadConfig(join(ROOT, 'deploy/compose', file), {})
    expect(dockerfile).toContain(`HV_KEYRING=${config.keyring}`)
    expect(config.trustedProxies).toEqual([compose.networks.inside.ipam.config[0]!.subnet])
    const named = config.redis?.sentinel?.nodes ?? [new URL(config.redis!.url!)]
    for (const node of named)
      expect(Object.keys(services)).toContain('host' in node && node.host.split(':')[0])
  },
)

const caddy = findProgram('caddy')
;(caddy === undefined ? test.skip : test)(
  'Caddy refuses its file without the hash of a password',
  () => {
    const file = join(ROOT, 'deploy/compose/Caddyfile')
    const adapt = (hash: string) =>
      spawnSync(caddy!, ['adapt', '--adapter', 'caddyfile', '--config', file], {
        env: { PATH: process.env['PATH'], HV_DASHBOARD_HASH: hash, HOME: '/nonexistent' },
        encoding: 'utf8',
      })
    const hash = execFileSync(caddy!, ['hash-password', '--plaintext', 'a password'], {
      encoding: 'utf8',
    }).trim()
    const { status, stdout } = adapt(hash)
    expect([status, stdout.includes('http_basic')]).toEqual([0, true])
    expect(adapt('').status).not.toBe(0)
  },
)

test('the container does not run as root and sets only variables that exist', () => {
  expect(dockerfile).toMatch(/^USER node$/m)
  const settings = readFileSync(join(ROOT, 'config/README.md'), 'utf8')
  const set = [...dockerfile.matchAll(/\b(HV_[A-Z_]+)=/g)].map(([, name]) => name!)
  expect(set.filter((name) => !settings.includes(name))).toEqual([])
})

test('the image starts both programs with the flags of their units', () => {
  const script = readFileSync(join(ROOT, 'deploy/image/start.sh'), 'utf8')
  const flagsIn = (file: string, pattern: RegExp) =>
    pattern.exec(readFileSync(join(ROOT, 'deploy', file), 'utf8'))![1]
  const started = (program: string) =>
    new RegExp(`^ *exec node (.+) /app/${program}/main\\.js "\\$@"$`, 'm').exec(script)![1]
  expect(started('dist')).toBe(
    flagsIn('systemd/human-verification@.service', /^ExecStart=\S+ (.+) \S+ serve$/m),
  )
  expect(started('node_modules/@human-verification/gate/dist')).toBe(
    flagsIn('gate/hv-gate.service', /^ExecStart=.*exec node (.+) "\$\$/m),
  )
})
