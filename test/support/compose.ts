/** docker-compose.yml as real processes on this machine: no Docker, the same arguments, environment and files. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../src/demo/credentials.ts'
import { CONFIG, type ServiceProcess, startService } from './process.ts'
import { freePort } from './ports.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[]
        readonly entrypoint?: readonly string[]
      }
    >
  >
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose

/** The two volumes that the service `keys` fills, as folders. */
export interface Volumes {
  readonly keys: string
  readonly redis: string
  /** Runs `keys` once more, as the next `docker compose up` does. */
  fill(): void
  remove(): void
}

/** In place of nobody, who may look into a Redis of the file: only a test's. */
export const OPERATOR = 'operator'

/** Runs the service `keys`. */
export function fillVolumes(): Volumes {
  const [keys, redis] = ['keys', 'redis'].map((name) => mkdtempSync(join(tmpdir(), `hv-${name}-`))) as [string, string]
  const [program, script] = compose.services['keys']!.entrypoint!
  if (program !== 'node') throw new Error('keys does not start node')
  const fill = (): void => {
    const args = [join(ROOT, script!.replace('/etc/hv/', 'deploy/compose/'))]
    const env = { PATH: process.env['PATH'] ?? '', HV_KEYS: keys, HV_REDIS: redis }
    execFileSync(process.execPath, args, { cwd: ROOT, env, stdio: 'pipe' })
    appendFileSync(join(redis, 'users.acl'), `user ${OPERATOR} on nopass ~* &* +@all\n`)
    appendFileSync(join(redis, 'sentinel.conf'), `user ${OPERATOR} on nopass &* +@all\n`)
  }
  fill()
  const remove = (): void => [keys, redis].forEach((folder) => rmSync(folder, { recursive: true, force: true }))
  return { keys, redis, fill, remove }
}

/** What one Redis of the file is started with, without the program. */
export function redisArguments(service: 'redis' | 'redis-replica', volumes: Volumes, primaryPort?: number): string[] {
  const [program, ...shipped] = compose.services[service]!.command!
  if (program !== 'redis-server') throw new Error(`${service} does not start redis-server`)
  const args = shipped.map((each) => each.replace(/^\/redis\//, `${volumes.redis}/`))
  // In the network of the file the primary is called redis and has its usual port.
  const primary = args.indexOf('--replicaof')
  if (primary >= 0) args.splice(primary + 1, 2, '127.0.0.1', String(primaryPort))
  return args
}

/** As the entrypoint of a Sentinel joins it. */
export const sentinelFile = ({ redis }: Volumes): string =>
  read('deploy/compose/sentinel.conf') + readFileSync(join(redis, 'sentinel.conf'), 'utf8')

/** The one site of both configurations, as its customer and its visitors know it. */
export const DEMONSTRATION = { sitekey: DEMO_SITEKEY, secret: DEMO_SECRET, origin: 'http://localhost' } as const

/**
 * A configuration of deploy/compose, with what this machine is different in: the addresses, and one machine that plays a
 * thousand visitors (limits, work, and tokens that live as long as the test).
 *
 * @param at ports of Redis, or of the three Sentinels.
 */
export function configurationOf(file: 'config.yaml' | 'sentinel.yaml', at: readonly number[], volumes: Volumes) {
  const text = read(`deploy/compose/${file}`)
    .replaceAll('/keys/', `${volumes.keys}/`)
    .replace('redis:6379', `127.0.0.1:${at[0]}`)
    .replaceAll(/sentinel-(\d):26379/g, (_, n: string) => `127.0.0.1:${at[Number(n) - 1]}`)
  const { sites, ...shipped } = parse(text) as { keyring: string; redis: object; sites: object[] }
  const [site] = sites
  return {
    ...shipped,
    trusted_proxies: ['127.0.0.1/32'],
    limits: CONFIG.limits,
    sites: [{ ...site, token_lifetime: '600s', work: { level: 0, max_level: 0 } }],
  }
}

export interface Replica {
  readonly url: string
  readonly process: ServiceProcess
}

/** One replica of `verify`, with the environment that the Dockerfile gives it; ports are free ones. */
export async function startReplica(config: object, keyring: string): Promise<Replica> {
  const ports = { HV_LISTEN: await freePort(), HV_OPS_LISTEN: await freePort() }
  const line = /^ENV (HV_CONFIG=.*)$/m.exec(read('Dockerfile'))![1]!
  const shipped = Object.fromEntries(line.split(' ').map((each) => each.split('=') as [string, string]))
  const env: Record<string, string> = { NODE_ENV: 'production' }
  for (const [name, port] of Object.entries(ports)) env[name] = shipped[name]!.replace(/\d+$/, String(port))
  return {
    url: `http://127.0.0.1:${ports.HV_LISTEN}`,
    process: await startService({ config, keyring, env }),
  }
}
