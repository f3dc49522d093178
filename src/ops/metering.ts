import type { InForce, Meters, Readings, Reloadable } from '../ports/observing.ts'
import type { Ledger, Sites } from '../ports/stores.ts'
import { exposition } from './metrics/exposition.ts'
import { fleet } from './fleet/fleet.ts'
import { redisFleetStore } from './fleet/fleet-store.ts'
import type { Scripts } from '../ports/stores.ts'
import { labels } from './metrics/labels.ts'
import { meters } from './metrics/meters.ts'
import { minutes } from './fleet/minute-counts.ts'
import type { InstanceStatus } from './fleet/packet.ts'
import { ownPackets, TICK_MS } from './fleet/publisher.ts'
import { reloadState } from './metrics/reload-state.ts'
import { tally } from './metrics/tally.ts'
import { tokenBalance } from './metrics/token-balance.ts'
import { topNetworks } from './metrics/top-networks.ts'

/** Milliseconds that the last packet gets at the end of the process. */
const LAST_MS = 500

export interface MeteringParts {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Random, of this start. */
  readonly id: string
  /** Of this process, for people: machine and process number. */
  readonly name: string
  readonly version: string
}

/** What else is told of this process, once it is built. */
export interface Observed {
  readonly ledger: Pick<Ledger, 'fault' | 'fullness'>
  readonly sites: Pick<Sites, 'bySitekey'>
  /** The link to Redis; undefined: this process is alone. */
  readonly scripts: Scripts | undefined
}

/** All that is counted in this process, and how it is read. */
export interface Metering {
  readonly meters: Meters
  /** How old what is in force is, and whether a newer one was refused. */
  inForce(what: Reloadable): InForce
  /** Begins to publish, in the background, and makes the counts readable. */
  observe(observed: Observed): Readings & {
    /** Publishes what is left, if that is possible at once. */
    stop(): Promise<void>
  }
}

export function metering({ clock, id, name, version }: MeteringParts): Metering {
  const counts = tally()
  const balance = tokenBalance(counts)
  const reloads = reloadState(clock)
  const limited = topNetworks()
  const startedAt = Math.floor(clock() / 1000)

  function observe({ ledger, sites, scripts }: Observed) {
    let stopping = false
    const status = (): InstanceStatus => {
      const fault = ledger.fault()?.code
      return {
        id,
        name,
        version,
        startedAt,
        at: Math.floor(clock() / 1000),
        ...(fault !== undefined && { fault }),
        configuration: statusOf(reloads.inForce('configuration')),
        keyring: statusOf(reloads.inForce('keyring')),
        ...(stopping && { stopped: true as const }),
      }
    }
    const store = scripts && redisFleetStore(scripts)
    const packets = ownPackets({ id, store, minutes: minutes({ counts, limited, status }) })
    const everyTick = everyFullTick(clock, (at) => {
      balance.settle(clock() / 1000)
      void packets.tick(at)
    })
    return {
      exposition: exposition({ counts, reloads, ledger, version, ofProcess: true }),
      fleet: fleet({
        own: (length) => packets.own(length),
        store,
        factsOf: (sitekey) => sites.bySitekey(sitekey),
        clock,
      }),
      async stop() {
        everyTick.stop()
        stopping = true
        balance.settle(Infinity)
        const last = packets.tick(clock()).then(() => packets.tick(clock()))
        await Promise.race([last, new Promise((done) => setTimeout(done, LAST_MS).unref())])
      },
    }
  }

  return {
    meters: meters({ counts, labels: labels(), balance, reloads, limited }),
    inForce: (what) => reloads.inForce(what),
    observe,
  }
}

const statusOf = ({ since, problem }: InForce) => ({
  since: Math.floor(since / 1000),
  ...(problem !== undefined && { problem: problem.says }),
})

/** Calls at every full five seconds of the clock, so that a minute ends with a call; `at` is the middle of what is over. */
function everyFullTick(clock: () => number, call: (at: number) => void): { stop(): void } {
  const wait = (): number => TICK_MS - (clock() % TICK_MS)
  let timer = setTimeout(tick, wait()).unref()
  function tick(): void {
    timer = setTimeout(tick, wait()).unref()
    call(clock() - TICK_MS / 2)
  }
  return { stop: () => clearTimeout(timer) }
}
