import type { InForce, Reloadable } from '../domain/observing.ts'
import type { Instruments } from './instruments.ts'

const RELOADABLE = ['configuration', 'keyring'] as const

const RELOADS = {
  name: 'hv_reloads_total',
  help: 'Reloads of the configuration or the keyring, by what and outcome: taken, refused (the old version stays in force).',
  labelNames: ['what', 'outcome'],
}
const IN_FORCE_SINCE = {
  name: 'hv_in_force_since_timestamp_seconds',
  help: 'When the configuration or the keyring in force was read; Unix seconds.',
  labelNames: ['what'],
}
const RELOAD_REFUSED = {
  name: 'hv_reload_refused',
  help: '1 while the file of the configuration or the keyring is one that was refused; the old version stays in force.',
  labelNames: ['what'],
}

/**
 * Counts reloads, and remembers which version is in force.
 *
 * @param clock Unix milliseconds.
 */
export function reloadMetrics({ counter, gauge }: Instruments, clock: () => number) {
  const versions = new Map<Reloadable, InForce>()
  const started: InForce = { since: clock(), problem: undefined }
  const inForce = (what: Reloadable): InForce => versions.get(what) ?? started

  const reloads = counter(RELOADS)
  gauge({
    ...IN_FORCE_SINCE,
    measure(to) {
      for (const what of RELOADABLE) to.set({ what }, inForce(what).since / 1000)
    },
  })
  gauge({
    ...RELOAD_REFUSED,
    measure(to) {
      for (const what of RELOADABLE) to.set({ what }, inForce(what).problem === undefined ? 0 : 1)
    },
  })

  /** @param says why the old version stays in use; undefined if the new one was taken. */
  function reloaded(what: Reloadable, says: string | undefined): void {
    const at = clock()
    const { since } = inForce(what)
    reloads.inc({ what, outcome: says === undefined ? 'taken' : 'refused' })
    versions.set(
      what,
      says === undefined ? { since: at, problem: undefined } : { since, problem: { at, says } },
    )
  }

  return { inForce, reloaded }
}
