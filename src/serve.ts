import { randomFillSync } from 'node:crypto'
import { hostname as machineName } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { localAgents } from './agents/agents.ts'
import { localNetworks } from './agents/networks.ts'
import { createApp } from './app.ts'
import type { Config } from './settings/load.ts'
import { configFiles, reloadableSites } from './settings/reload.ts'
import { watchFiles } from './settings/watch.ts'
import { Fault } from './domain/codes.ts'
import { TIGHT_FROM } from './domain/fullness.ts'
import { unixSeconds } from './domain/words.ts'
import { loadAssets } from './http/assets.ts'
import { trustedRanges } from './http/client-address.ts'
import { type App, listen } from './http/listen.ts'
import { createOpsApp } from './http/ops-app.ts'
import { checkRedis } from './store/check-redis.ts'
import { memoryCounters, redisCounters } from './store/counters.ts'
import { history } from './store/history.ts'
import { memoryLedger } from './store/memory-ledger.ts'
import { redisLedger } from './store/redis-ledger.ts'
import { redisConnection } from './store/redis.ts'
import { memoryLimiter, redisLimiter } from './store/limits.ts'
import { lastHourAnswer } from './ops/last-hour.ts'
import { meteredLedger, meteredLimiter } from './ops/metered-stores.ts'
import { createMetrics } from './ops/metrics.ts'
import { readiness } from './ops/readiness.ts'
import type { Log } from './domain/observing.ts'
import type { Clock, History, Ledger, Limiter, Random } from './domain/stores.ts'
import { reloadableKeyring } from './tokens/keyring.ts'
import { openPass } from './tokens/passes.ts'
import { DEFAULT_ISSUER, jwtTokens } from './tokens/tokens.ts'

/** Milliseconds that requests in flight get at a SIGTERM. docs/api/api.md, "Processes and commands". */
const GRACE = 10_000
/**
 * Milliseconds between failing the health check and closing, so that the load balancer notices: deploy/haproxy checks
 * once a second and needs two failures.
 */
const NOTICE = 3000

const clock: Clock = { now: () => unixSeconds(Math.floor(Date.now() / 1000)) }

/** Ids are cut from 4 kB of random bytes at a time: a call for each takes 3 µs, and a verification needs three. */
const pool = Buffer.alloc(4096)
let drawn = pool.length
const random: Random = {
  id() {
    if (drawn === pool.length) drawn = randomFillSync(pool).length - pool.length
    return pool.toString('base64url', drawn, (drawn += 16))
  },
}

export interface Service {
  readonly url: string
  readonly opsUrl: string
  /** Reads the sites and the keyring again; a file with a problem changes nothing. */
  reload(): void
  /** Stops accepting, finishes what is in flight, disconnects from Redis. */
  stop(): Promise<void>
}

export interface Surroundings {
  readonly log: Log
  /** Calls the listener with how many lines the log could not write. If omitted: it writes them all. */
  readonly linesLost?: (listener: (lines: number) => void) => void
  /** Where the widget's built files are. */
  readonly assets: string
  /** Where the dashboard's built files are. */
  readonly dashboard: string
  /** Of this package. */
  readonly version: string
  /** Reads the configuration again; left out: there is no file to watch. @throws {ConfigError} */
  readonly load?: () => Promise<Config>
  /** Unix milliseconds, before the configuration was read. */
  readonly readAt?: number
  /** Puts something in front of the application: the test server. */
  readonly wrap?: (app: App) => App
}

/**
 * Builds every part of the service and listens. What a failed start has opened is closed again.
 *
 * @throws {Error} with a sentence for the operator when the keyring or Redis cannot be used, or an address is taken.
 */
export async function serve(config: Config, surroundings: Surroundings): Promise<Service> {
  const closers: Closer[] = []
  try {
    return await start(config, surroundings, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

/** Lets go of one thing that was opened. */
type Closer = () => void | Promise<void>

/** Closes in reverse. One that fails does not keep the others open. @throws the first failure, at the end. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** @param closers gets one for each thing that is opened. */
async function start(config: Config, surroundings: Surroundings, closers: Closer[]): Promise<Service> {
  const { log, linesLost, assets, dashboard, version, load, readAt = Date.now(), wrap = (app) => app } = surroundings
  const metrics = createMetrics({ version })
  linesLost?.((lines) => metrics.linesLost(lines))
  const keys = reloadableKeyring(config.keyring, { log, meters: metrics, clock })
  const tokens = jwtTokens({ keyring: keys, issuer: config.publicUrl ?? DEFAULT_ISSUER, clock })
  const networks = await localNetworks(config.network, log)
  const agents = await localAgents(config.agents, config.publicUrl, log)
  const storage = await stores(config, log, () => metrics.generationMoved())
  closers.push(() => storage.close())
  const ledger = meteredLedger(storage.ledger, metrics)
  const limiter = meteredLimiter(storage.limiter, metrics)
  closers.push(() => ledger.close())
  const sites = reloadableSites(config, { log, meters: metrics })
  const ready = readiness(ledger, sites.shortestLife)
  metrics.observeProcess(ledger)

  const app = createApp({
    ...config,
    sites,
    tokens,
    openPass,
    ledger,
    limiter,
    history: storage.history,
    networks,
    agents,
    clock,
    random,
    log,
    meters: metrics,
    readiness: ready,
    assets: loadAssets(assets),
  })
  // Waits for the generation, so that the first requests are not refused; without Redis the service starts anyway.
  await ledger.probe().catch(ignoreFault)
  const opsApp = createOpsApp({
    log,
    readiness: ready,
    metrics: metrics.registry,
    lastHour: lastHourAnswer({
      hour: metrics.hour,
      inForce: metrics.inForce,
      ledger,
      sites,
      name: `${machineName()}/${process.pid}`,
      version,
      clock: Date.now,
    }),
    inForce: metrics.inForce,
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
  })
  closers.push(async () => {
    ready.drain()
    service.drain()
    const notice = ready.watched() ? NOTICE : 0
    if (notice > 0) await sleep(notice)
    await service.stop(GRACE - notice)
  })

  const { keyring } = config
  const reloadSites = async (): Promise<void> => load && sites.reload(load)
  const watched = [
    ...(load ? [{ files: configFiles(config), changed: reloadSites, readAt }] : []),
    ...(keyring === undefined ? [] : [{ files: () => [keyring], changed: keys.reload, readAt }]),
    ...networks.files,
    ...agents.files,
  ]
  const watcher = await watchFiles(watched, log)

  closers.push(() => watcher.stop())
  log.info('listening', { url: service.url, ops_url: ops.url })
  return {
    url: service.url,
    opsUrl: ops.url,
    reload() {
      void reloadSites()
      keys.reload()
    },
    stop: () => closeAll(closers),
  }
}

/** @throws what is no fault: a defect. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}

interface Stores {
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  /** Closes the connection that they share. */
  close(): Promise<void>
}

const isTight = (ledger: Ledger) => (): boolean => ledger.fullness() >= TIGHT_FROM

/** The ledger, the limiter and history: in this process, or in one Redis for all. */
async function stores(config: Config, log: Log, onMove: () => void): Promise<Stores> {
  const { redis, limits } = config
  const { partitions } = config.ledger
  if (!redis) {
    const ledger = memoryLedger({ random, clock: () => Date.now(), onMove })
    const limiter = memoryLimiter(limits, isTight(ledger))
    return { ledger, limiter, history: history(memoryCounters(), log), close: async () => {} }
  }
  const link = redisConnection(redis, { log, partitions })
  const refusal = await checkRedis(link)
  if (refusal !== undefined) {
    await link.close()
    throw new Error(refusal)
  }
  const ledger = redisLedger(link, { random, log, onMove })
  const limiter = redisLimiter(link, limits, isTight(ledger))
  return { ledger, limiter, history: history(redisCounters(link), log), close: () => link.close() }
}
