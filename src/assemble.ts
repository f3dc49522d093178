import { randomFillSync } from 'node:crypto'
import type { Registry } from 'prom-client'
import { type LocalAgents, localAgents } from './agents/agents.ts'
import { type LocalNetworks, localNetworks } from './agents/networks.ts'
import { type AppParts, createApp } from './app.ts'
import type { Closer } from './closers.ts'
import { Fault } from './domain/codes.ts'
import type { Log } from './domain/observing.ts'
import type { Clock, Random } from './domain/ports.ts'
import { unixSeconds } from './domain/words.ts'
import { loadAssets } from './http/assets.ts'
import { meteredLedger, meteredLimiter } from './ops/metered-stores.ts'
import { createMetrics } from './ops/metrics.ts'
import { readiness } from './ops/readiness.ts'
import { watchUnknownTokens } from './ops/watch-unknown-tokens.ts'
import type { Config } from './settings/load.ts'
import { configFiles, reloadableSites } from './settings/reload.ts'
import { watchFiles } from './settings/watch.ts'
import { openStores } from './store/stores.ts'
import { reloadableKeyring } from './tokens/keyring.ts'
import { openPass } from './tokens/passes.ts'
import { DEFAULT_ISSUER, jwtTokens } from './tokens/jwt-tokens.ts'

const clock: Clock = { now: () => unixSeconds(Math.floor(Date.now() / 1000)) }

/** Ids are cut from 4 kB of random bytes at a time: a call for each takes 3 µs, and a verification needs three. */
const pool = Buffer.alloc(4096)
const ID_BYTES = 16
/** Where the next id begins; at the end of the pool, it is filled again. */
let next = pool.length
const random: Random = {
  id() {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const start = next
    next += ID_BYTES
    return pool.toString('base64url', start, next)
  },
}

export interface Surroundings {
  readonly log: Log
  /** Calls the listener with how many lines the log could not write. If omitted: it writes them all. */
  readonly linesLost?: (listener: (lines: number) => void) => void
  /** Where the widget's built files are. */
  readonly assets: string
  /** The version of this package. */
  readonly version: string
  /** Reads the configuration again; left out: there is no file to watch. @throws {ConfigError} */
  readonly load?: (() => Promise<Config>) | undefined
  /** Unix milliseconds, before the configuration was read. */
  readonly readAt?: number
  /** Gets the metrics. If omitted: a new one, which also has those of the process. */
  readonly registry?: Registry | undefined
}

/**
 * Builds every part of the service, which does not listen yet, and watches its files.
 *
 * @throws {Error} with a sentence for the operator when the keyring or Redis cannot be used.
 */
export async function assemble(config: Config, surroundings: Surroundings, closers: Closer[]) {
  const { log, linesLost, assets, version, registry } = surroundings
  const metrics = createMetrics({ version, registry })
  closers.push(() => metrics.unregister())
  linesLost?.((lines) => metrics.linesLost(lines))
  const keys = reloadableKeyring(config.keyring, { log, meters: metrics, clock })
  const networks = await localNetworks(config.network, log)
  const agents = await localAgents(config.agents, config.publicUrl, log)
  const stores = await openStores(config, { random, log, onMove: () => metrics.generationMoved() })
  closers.push(() => stores.close())
  const ledger = meteredLedger(stores.ledger, metrics)
  closers.push(() => ledger.close())
  const sites = reloadableSites(config, { log, meters: metrics })
  const ready = readiness(ledger, sites.shortestLife)
  metrics.observeProcess(ledger)
  closers.push(watchUnknownTokens(metrics.hour, log).stop)

  const { publicUrl = DEFAULT_ISSUER, trustedProxies, vendorPaths } = config
  const parts: AppParts = {
    sites,
    tokens: jwtTokens({ keyring: keys, issuer: publicUrl, clock }),
    openPass,
    ledger,
    limiter: meteredLimiter(stores.limiter, metrics),
    history: stores.history,
    networks,
    agents,
    clock,
    random,
    log,
    meters: metrics,
    readiness: ready,
    assets: loadAssets(assets),
    vendorPaths,
    trustedProxies,
    tlsFingerprintHeader: config.tlsFingerprintHeader,
    clientIpHeader: config.clientIpHeader,
  }
  const app = createApp(parts)
  // Waits for the generation, so that the first requests are not refused; without Redis the service starts anyway.
  await ledger.probe().catch(ignoreFault)

  const reload = await watchConfig(
    { config, surroundings, closers },
    { keys, sites, networks, agents },
  )
  return { app, parts, metrics, ready, ledger, sites, reload }
}

interface Assembly {
  readonly config: Config
  readonly surroundings: Surroundings
  readonly closers: Closer[]
}

/** What is told when a file has changed. */
interface Watched {
  readonly keys: ReturnType<typeof reloadableKeyring>
  readonly sites: ReturnType<typeof reloadableSites>
  readonly networks: LocalNetworks
  readonly agents: LocalAgents
}

/**
 * Watches the files of the configuration.
 *
 * @returns a function that reads the sites and the keyring again; a file with a problem changes nothing, and is logged.
 */
async function watchConfig(
  { config, surroundings, closers }: Assembly,
  { keys, sites, networks, agents }: Watched,
): Promise<() => Promise<void>> {
  const { keyring, redis } = config
  const { log, load, readAt = Date.now() } = surroundings
  const reloadSites = async (): Promise<void> => load && sites.reload(load)
  const watcher = await watchFiles(
    [
      ...(load ? [{ files: configFiles(config), changed: reloadSites, readAt }] : []),
      ...(keyring === undefined ? [] : [{ files: () => [keyring], changed: keys.reload, readAt }]),
      // Passwords are read for each connection, the authority at start: only to name a mount that hides a change.
      {
        files: () => [redis?.passwordFile, redis?.sentinelPasswordFile, redis?.ca].filter(isGiven),
        changed: () => {},
        readAt,
      },
      ...networks.files,
      ...agents.files,
    ],
    log,
  )
  closers.push(() => watcher.stop())
  return () => {
    keys.reload()
    return reloadSites()
  }
}

const isGiven = (file: string | undefined): file is string => file !== undefined

/** @throws what is no fault: a defect. */
function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}
