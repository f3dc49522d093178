import type { InForce, Ledger, Meters, Readings, Reloadable } from '../ports.ts'
import { exposition } from './exposition.ts'
import { labels } from './labels.ts'
import { meters } from './meters.ts'
import { reloadState } from './reload-state.ts'
import { tally } from './tally.ts'
import { tokenBalance } from './token-balance.ts'
import { topNetworks } from './top-networks.ts'

/** Milliseconds between two looks at which tokens have ended. */
const SETTLE_MS = 5000

export interface MeteringParts {
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly version: string
}

/** All that is counted in this process, and how it is read. */
export interface Metering {
  readonly meters: Meters
  /** @param ledger whose state is told with the counts. */
  readings(ledger: Pick<Ledger, 'fault'>): Readings
  /** How old what is in force is, and whether a newer one was refused. */
  inForce(what: Reloadable): InForce
  stop(): void
}

export function metering({ clock, version }: MeteringParts): Metering {
  const counts = tally()
  const balance = tokenBalance(counts)
  const reloads = reloadState(clock)
  const timer = setInterval(() => balance.settle(clock() / 1000), SETTLE_MS)
  timer.unref()
  return {
    meters: meters({ counts, labels: labels(), balance, reloads, limited: topNetworks() }),
    readings: (ledger) => ({ exposition: exposition({ counts, reloads, ledger, version, ofProcess: true }) }),
    inForce: (what) => reloads.inForce(what),
    stop: () => clearInterval(timer),
  }
}
