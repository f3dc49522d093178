import type { Log, Meters } from './ports/observing.ts'
import type { Clock } from './ports/stores.ts'
import { type Keyring, keyring, newKey, readKeyringFile } from './tokens/keyring.ts'

export interface ReloadableKeyring extends Keyring {
  reload(): Promise<void>
}

/** The keyring in force: of the file, or of this start. A key that was added opens, and in its time seals, from then on. */
export async function reloadableKeyring(
  file: string | undefined,
  { log, meters, clock }: { readonly log: Log; readonly meters: Meters; readonly clock: Clock },
): Promise<ReloadableKeyring> {
  let current = keyring(file === undefined ? [newKey(clock.now())] : readKeyringFile(file))
  return {
    byKid: (kid) => current.byKid(kid),
    activeAt: (now) => current.activeAt(now),
    async reload() {
      if (file === undefined) return
      try {
        current = keyring(readKeyringFile(file))
        meters.reloaded('keyring')
      } catch (error) {
        const detail = (error as Error).message
        log.error('keyring not reloaded; the old one stays in force', { detail })
        meters.reloaded('keyring', detail)
      }
    },
  }
}
