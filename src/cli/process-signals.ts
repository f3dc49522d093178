/** Commands that run until a signal. */
export const SERVICES: ReadonlySet<string> = new Set(['serve', 'demo', 'test-server'])

/** Signals that ask to stop, with their numbers. */
const STOPS = { SIGINT: 2, SIGTERM: 15 } as const
type Stop = keyof typeof STOPS
const STOP_NAMES = Object.keys(STOPS) as Stop[]

let isService = false
let missedReload = false

/** Nothing is open yet that would have to be closed. Shells say 128 and the number of a signal. */
const endAtOnce = (signal: Stop): never => process.exit(isService ? 0 : 128 + STOPS[signal])
const missReload = (): void => {
  missedReload = true
}

/**
 * Handles signals from the first line of the program on, until its command does: while the modules load, PID 1 (the
 * main process of a container) would ignore SIGTERM and SIGINT, and SIGHUP would end `hv serve`.
 *
 * @param command the first argument; SIGHUP stays the system's for all but `serve`, so that `nohup` works.
 */
export function catchSignals(command = ''): void {
  isService = SERVICES.has(command)
  for (const name of STOP_NAMES) process.on(name, endAtOnce)
  if (command === 'serve') process.on('SIGHUP', missReload)
}

/** Resolves with the first signal that asks to stop. Install it before anything is opened. */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const name of STOP_NAMES) {
      process.on(name, () => resolve())
      process.off(name, endAtOnce)
    }
  })

/** Calls the listener at each SIGHUP, and at once if there was one before. */
export function onReloadSignal(reload: () => void): void {
  process.on('SIGHUP', reload)
  process.off('SIGHUP', missReload)
  if (missedReload) reload()
}
