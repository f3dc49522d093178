/** docker-compose.yml as real processes on this machine: no Docker, the same arguments, environment and files. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../src/demo/credentials.ts'
import { CONFIG, type ServiceProcess, startService } from './process.ts'
import { freePort } from './redis.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command?: readonly string[]; readonly stop_grace_period?: string }>
  >
}
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose

/** What one Redis of the file is started with, without the program. */
export function redisArguments(service: 'redis' | 'redis-replica', primaryPort?: number): string[] {
  const [program, ...args] = compose.services[service]!.command!
  if (program !== 'redis-server') throw new Error(`${service} does not start redis-server`)
  // In the network of the file the primary is called redis and has its usual port.
  const primary = args.indexOf('--replicaof')
  if (primary >= 0) args.splice(primary + 1, 2, '127.0.0.1', String(primaryPort))
  return args
}

/** Milliseconds until Docker would kill a replica that was told to end. */
export const STOP_GRACE = Number.parseInt(compose.services['verify']!.stop_grace_period!) * 1000

export const sentinelFile = (): string => read('deploy/compose/sentinel.conf')

/** The one site of both configurations, as its customer and its visitors know it. */
export const DEMONSTRATION = { sitekey: DEMO_SITEKEY, secret: DEMO_SECRET, origin: 'http://localhost' } as const

/**
 * A configuration of deploy/compose, with what this machine is different in: the addresses, and one machine that plays a
 * thousand visitors (limits, work, and tokens that live as long as the test).
 */
export function configurationOf(file: 'config.yaml' | 'sentinel.yaml', redis: object) {
  const { sites, ...shipped } = parse(read(`deploy/compose/${file}`)) as { sites: object[] }
  const [site] = sites
  return {
    ...shipped,
    redis,
    trusted_proxies: ['127.0.0.1/32'],
    limits: CONFIG.limits,
    sites: [{ ...site, token_lifetime: '600s', work: { level: 0, max_level: 0 } }],
  }
}

export interface Replica {
  readonly url: string
  process: ServiceProcess
  /** Once more, on the same port, as an orchestrator does. */
  again(): Promise<void>
}

/** One replica of `verify`, with the environment that the Dockerfile gives it; ports are free ones. */
export async function startReplica(config: object, keyring: string): Promise<Replica> {
  const ports = { HV_LISTEN: await freePort(), HV_OPS_LISTEN: await freePort() }
  const line = /^ENV (HV_CONFIG=.*)$/m.exec(read('Dockerfile'))![1]!
  const shipped = Object.fromEntries(line.split(' ').map((each) => each.split('=') as [string, string]))
  const env: Record<string, string> = { NODE_ENV: 'production' }
  for (const [name, port] of Object.entries(ports)) env[name] = shipped[name]!.replace(/\d+$/, String(port))
  const start = () => startService({ config, keyring, env })
  const replica = {
    url: `http://127.0.0.1:${ports.HV_LISTEN}`,
    process: await start(),
    async again() {
      replica.process = await start()
    },
  }
  return replica
}
