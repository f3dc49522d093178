import { hostname as machineName } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { assemble, type Surroundings } from './assemble.ts'
import { withClosers } from './closers.ts'
import { trustedRanges } from './http/client-address.ts'
import { listen } from './http/listen.ts'
import { type App } from './http/messages.ts'
import { createOpsApp } from './http/ops-app.ts'
import { answerLastHour } from './ops/answer-last-hour.ts'
import type { Config } from './settings/load.ts'

/** Milliseconds that requests in flight get at a SIGTERM. docs/api/api.md, "Processes and commands". */
const GRACE = 10_000
/**
 * Milliseconds between failing the health check and closing, so that the load balancer notices: deploy/haproxy checks
 * once a second and needs two failures.
 */
const NOTICE = 3000

export interface Service {
  readonly url: string
  readonly opsUrl: string
  /** Reads the sites and the keyring again; a file with a problem changes nothing. */
  reload(): void
  /** Stops accepting, finishes what is in flight, disconnects from Redis. */
  close(): Promise<void>
}

export interface Listeners extends Surroundings {
  /** Where the dashboard's built files are. */
  readonly dashboard: string
  /** Puts something in front of the application: the test server. */
  readonly wrap?: (app: App) => App
}

/**
 * Builds every part of the service and listens. What a failed start has opened is closed again.
 *
 * @throws {Error} with a sentence for the operator when the keyring or Redis cannot be used, or an address is taken.
 */
export const serve = (
  config: Config,
  { dashboard, wrap = (app) => app, ...surroundings }: Listeners,
): Promise<Service> =>
  withClosers(async (closers) => {
    const { app, metrics, ready, ledger, sites, reload } = await assemble(
      config,
      surroundings,
      closers,
    )
    const { log, version } = surroundings
    const { hour, inForce, registry } = metrics
    const name = `${machineName()}/${process.pid}`
    const opsApp = createOpsApp({
      log,
      readiness: ready,
      metrics: registry,
      lastHour: answerLastHour({ hour, inForce, ledger, sites, name, version, clock: Date.now }),
      inForce,
      sites: () => sites.count(),
      clockAhead: () => ledger.clockAhead(),
      dashboard,
      hosts: config.opsHosts,
    })
    const ops = await listen(opsApp, config.opsListen)
    closers.push(() => ops.stop(0))
    const service = await listen(wrap(app), config.listen, {
      trusts: trustedRanges(config.trustedProxies),
      perAddress: config.connectionsPerAddress,
      keepAlive: config.keepAlive * 1000,
      crowded(connections) {
        log.warn('connection limit reached', {
          detail: `${connections} connections refused in a second`,
          hint: 'let the proxy limit connections of one address (deploy/), and name it in trusted_proxies',
        })
      },
      oversized(requests) {
        log.warn('request headers too large', {
          detail: `${requests} requests with more than 16 kB of headers refused in a second`,
          hint: 'cookies of the whole domain reach the service: crossorigin="anonymous" on the script keeps them away',
        })
      },
    })
    closers.push(async () => {
      ready.drain()
      service.drain()
      const notice = ready.watched() ? NOTICE : 0
      if (notice > 0) await sleep(notice)
      await service.stop(GRACE - notice)
    })
    log.info('listening', { url: service.url, ops_url: ops.url })
    return { url: service.url, opsUrl: ops.url, reload: () => void reload() }
  })
