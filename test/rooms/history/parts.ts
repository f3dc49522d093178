/** What the tests of history have in common: a site, addresses, and history over stores. */
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import type { Counters } from '../../../src/history/counters.ts'
import { history } from '../../../src/history/history.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import type { Sketch } from '../../../src/history/sketch.ts'
import type { Noted } from '../../../src/ports/stores.ts'
import { keepLog } from '../../support/ledger-contract.ts'

/** The middle of a bucket. */
export const NOW = unixSeconds(1_800_000_300)
export const SHOP = 'hv_site_testshop' as Sitekey
export const place = { sitekey: SHOP, action: undefined }
/** An address mark. */
export const address = (network: number, last = 1): string =>
  `${String(network).padStart(8, 'n')}${String(last).padStart(14, 'a')}`

interface Parts {
  readonly counters?: Counters
  readonly sketch?: Sketch
}
/** Nothing is sent before `sent`: then it is counted in the stores, and what they said is known. */
export function remembered({ counters = memoryCounters(), sketch = memorySketch() }: Parts = {}) {
  const log = keepLog()
  const on = history({ counters, sketch }, { clock: { now: () => NOW }, log })
  return {
    ...on,
    log,
    async sent(...noted: readonly Omit<Noted, 'place'>[]) {
      for (const each of noted) on.note({ place, ...each })
      await on.close()
    },
  }
}
export const times = (count: number, noted: Omit<Noted, 'place'>) => Array.from({ length: count }, () => noted)
