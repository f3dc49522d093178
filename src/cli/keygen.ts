import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatMoment } from '../domain/time.ts'
import { replaceFile } from '../settings/edit.ts'
import { later, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import { type Jwk, newKey, readKeyringFile } from '../tokens/keyring.ts'
import {
  configOf,
  configOption,
  define,
  delayOption,
  jsonOption,
  print,
  UsageError,
} from './command.ts'
import type { Io } from './io.ts'

/**
 * Seconds after which nothing that a superseded key signed can still be accepted: the longest challenge of any policy
 * (1 h), the longest token (10 min), and 5 min for clocks. docs/design/threats.md#t28
 */
export const OPENS_FOR = 3600 + 600 + 300

/**
 * Splits keys into those worth keeping and those that can no longer verify anything: another one became active so long
 * ago that all they signed is over.
 */
export function retire(
  keys: readonly Jwk[],
  now: UnixSeconds,
): { live: readonly Jwk[]; retired: readonly Jwk[] } {
  const isRetired = ({ nbf }: Jwk): boolean =>
    keys.some((newer) => newer.nbf > nbf && newer.nbf + OPENS_FOR <= now)
  return { live: keys.filter((key) => !isRetired(key)), retired: keys.filter(isRetired) }
}

/** `hv keygen`: a new key in front of the keyring's. */
export const keygenCommand = (io: Io) =>
  define('keygen', {
    summary: 'add a signing key and make it active',
    about: `Adds a signing key and makes it active; the older ones then only verify tokens that exist. Keys that no valid token needs any more (75 minutes after a newer one became active) are removed. A file that does not exist is created, readable by its owner alone.`,
    examples: ['hv keygen --keyring config/keyring.json', 'hv keygen --active-in 10m'],
  })
    .option('--keyring <FILE>', "the keyring. Default: HV_KEYRING, else the configuration's")
    .addOption(
      delayOption(
        '--active-in <TIME>',
        '0s to 90d: until then the key only verifies, so that every process has it before any process signs with it',
        '0s',
      ),
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action(({ keyring, activeIn, config, json }) => {
      const path = keyringPath(keyring ?? io.env.HV_KEYRING, config, io)
      const now = io.now()
      let key = newKey(later(now, activeIn))
      let removed: readonly Jwk[] = []
      const isNew = !existsSync(path)
      replaceFile(path, 0o600, () => {
        const { live, retired } = retire(existsSync(path) ? readKeyringFile(path) : [], now)
        removed = retired
        key = newKey(later(now, activeIn))
        return `${JSON.stringify({ keys: [key, ...live] }, undefined, 2)}\n`
      })
      const activeFrom = formatMoment(unixSeconds(key.nbf))
      const kids = removed.map(({ kid }) => kid)
      print(io, json, { keyring: path, kid: key.kid, active_from: activeFrom, removed: kids }, () =>
        [
          // A slip in the path would otherwise look like one more key.
          ...(isNew ? [`${path}: new keyring`] : []),
          `${path}: key ${key.kid}, active from ${activeFrom} on`,
          ...kids.map(
            (kid) => `${path}: key ${kid} removed; nothing that it sealed can still be accepted`,
          ),
        ].join('\n'),
      )
    })

function keyringPath(path: string | undefined, config: string | undefined, io: Io): string {
  if (path !== undefined) return resolve(io.cwd, path)
  const { keyring: configured, file } = configOf(config, io)
  if (configured === undefined)
    throw new UsageError(
      `${file} names no keyring: name one with --keyring or HV_KEYRING, or in the file`,
    )
  return configured
}
